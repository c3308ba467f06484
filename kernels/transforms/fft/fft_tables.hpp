#pragma once

#include <cstdint>
#include <vector>

#include "kernels/transforms/axis_ends.hpp"
#include "kernels/transforms/fft/complex.hpp"

namespace isotherm {

/// Returns exp(2πi numerator / denominator) as accurately as long double allows: the angle is first
/// reduced to at most 1/8 of a turn, in integers.
/// @pre 0 ≤ numerator, 0 < denominator < 2^60
Complex<long double> unit_root(std::int64_t numerator, std::int64_t denominator);

/// Returns the number of unknown points, and of modes, of an axis of `intervals` intervals.
std::int64_t point_count(AxisEnds ends, std::int64_t intervals);

/// Returns the eigenvalues of (−u_(j−1) + 2 u_j − u_(j+1)) on the axis, in the order in which a
/// transform stores its modes.
std::vector<double> fft_eigenvalues(AxisEnds ends, std::int64_t intervals);

/// The tables of a transform, in host memory; see FftTransform.
template <class Real>
struct FftTables {
  std::vector<Complex<Real>> roots;          ///< exp(−2πi k/N), k < N
  std::vector<Complex<Real>> quarter_turns;  ///< cos and sin of πk/(2N), k ≤ N/2; mixed ends only
  std::vector<Real> inverse_sines;           ///< 1 / (2 sin(πk/N)), 0 < k ≤ N/2; equal ends only
  std::vector<Real> first_mode;              ///< LineSteps::first_mode; equal ends only
};

/// Returns the tables for an axis of `intervals` intervals.
/// @throws Error  if there is no interval
template <class Real>
FftTables<Real> fft_tables(AxisEnds ends, std::int64_t intervals);

}  // namespace isotherm
