#pragma once

#include <cstddef>

#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Whether all of the `count` values that each rank has are finite; the same on every rank.
/// Collective.
bool all_finite(mpi::Communicator const& ranks, Precision precision, void const* values,
                std::size_t count);

}  // namespace isotherm
