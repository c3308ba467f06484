#pragma once

#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/field.hpp"
#include "kernels/sweep/reduce.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the largest absolute value of a field in a box, over all ranks; infinity if a value is
/// not finite. Collective; waits.
/// @param reader  is cleared and used for the result
/// @param box     this rank's points
template <class Real>
double largest_value(mpi::Communicator const& ranks, Queue& queue, ChangeReader& reader,
                     FieldView<Real const> field, LocalBox box);

/// Estimates the magnitude of a solution from the mean absolute value of its source f. With
/// Dirichlet faces it is f L² / 8, the largest value between two planes at a distance L for a
/// constant source. Without any it is f L² / π², that of the longest wave.
/// @pre  constant coefficients and equal spacings along each axis
double magnitude_by_source(Problem const& problem, double mean_source);

/// Estimates the rounding floor of the residual: the norm that remains if each value of a solution
/// of magnitude `size` is rounded to the field's precision.
///
/// Each value has an error of up to half a unit in the last place, which the operator multiplies by
/// up to 4 Σ h^-2 (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 7). The
/// mean effect is 0.15 of that, measured with 2049² and 4096² points in float64; the maximum norm
/// has 0.6.
double residual_rounding_floor(Problem const& problem, Norm norm, double size);

/// Returns a remark for the user if the tolerance asks for a residual below the rounding floor,
/// else an empty string.
/// @param rounding   the rounding floor, from residual_rounding_floor()
/// @param allowed    the residual at which the run ends
/// @param reference  the norm that residuals are relative to
std::string remark_on_rounding_floor(Problem const& problem, double rounding, double allowed,
                                     double reference);

}  // namespace isotherm
