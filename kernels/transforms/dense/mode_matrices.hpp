#pragma once

#include <cstdint>
#include <vector>

#include "kernels/transforms/axis_ends.hpp"

namespace isotherm {

/// The modes of a one-dimensional operator: its eigenvalues, and the matrices that map values at
/// the points of an axis to modes and back. Both matrices have `count` rows of `count` columns, row
/// by row. They are inverse to each other.
struct ModeMatrices {
  int count = 0;                    ///< of modes, and of points
  std::vector<double> eigenvalues;  ///< by mode
  std::vector<double> to_modes;     ///< [point · count + mode]
  std::vector<double> to_points;    ///< [mode · count + point]: the mode's value at the point
};

/// Maximum number of points of an axis whose modes are given by matrices. A matrix then takes 128
/// MiB in float64.
constexpr int max_dense_points = 4096;

/// Returns the number of unknown points of an axis of equal intervals; see AxisEnds. It is 0 or
/// negative if there is none.
constexpr std::int64_t unknown_points(AxisEnds ends, std::int64_t intervals) {
  if (ends == AxisEnds::dirichlet) return intervals - 1;
  return ends == AxisEnds::neumann ? intervals + 1 : intervals;
}

/// Returns the modes of the operator 2 u − u(neighbours) on an axis of equal intervals, in the
/// order of their eigenvalues.
///
/// They are sines and cosines: sines from a Dirichlet end, cosines from a Neumann end. On a
/// periodic axis, cosines and sines about the middle of the points alternate, so all modes are even
/// or odd if the axis has equal ends. The mode with k half waves on N intervals has the eigenvalue
/// 2 − 2 cos(π k / N) = 4 sin²(π k / 2N). Angles are reduced exactly.
///
/// Source: G. Strang, The discrete cosine transform, SIAM Review 41 (1999).
/// @param integration  what the values mean that are mapped to modes
/// @throws Error  unless the axis has 1 to max_dense_points unknown points
ModeMatrices closed_form_modes(AxisEnds ends, std::int64_t intervals,
                               Integration integration = Integration::per_volume);

}  // namespace isotherm
