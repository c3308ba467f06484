#pragma once

#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"

namespace isotherm {

/// Returns the totals of exact sums over all ranks, each rounded once. Exact sums are added as
/// integers, so neither the order of terms nor the decomposition changes a bit. Infinities and NaN
/// are added separately; they make a total infinite or NaN. All ranks pass the same number of sums.
/// Collective.
///
///     ExactSum heat;
///     for (double const term : my_terms) heat.add(term);
///     double const total = exact_totals(ranks, {heat}).front();    // the same bits on every rank
std::vector<double> exact_totals(mpi::Communicator const& ranks, std::vector<ExactSum> const& sums);

}  // namespace isotherm
