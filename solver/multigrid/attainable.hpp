#pragma once

#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/sweep/reduce.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The largest size of a value at the points of a box, on all ranks; waits.
template <class Real>
double largest_value(mpi::Communicator const& ranks, Queue& queue, ChangeReader& reader,
                     FieldView<Real const> field, LocalBox box);

/// About how large a solution is that a source makes whose values are so large in the mean: as that
/// of the same source at all points between two planes, f L² / 8, with Dirichlet faces; without any
/// as that of the longest wave, f L² / π².
double size_by_source(Problem const& problem, double mean_source);

/// About the residual that is left where each value of a solution of this size is rounded to what
/// the field holds: each by up to half a unit in the last place, which the operator multiplies by
/// up to 4 Σ h^-2 (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 7). On
/// the whole it is 0.15 of that, as measured with 2049² and 4096² points in float64.
double residual_left_by_rounding(Problem const& problem, Norm norm, double size);

/// What to say before a run whose residual may have to fall to less than rounding leaves; empty
/// where it need not.
/// @param allowed    the residual at which the run ends
/// @param reference  what it is relative to
std::string remark_on_rounding(Problem const& problem, double rounding, double allowed,
                               double reference);

}  // namespace isotherm
