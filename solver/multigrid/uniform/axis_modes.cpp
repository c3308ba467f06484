#include "solver/multigrid/uniform/axis_modes.hpp"

#include <cmath>
#include <numbers>

#include "kernels/multigrid/coarsest/modes.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// An axis of `intervals` intervals, and its unknown points.
struct Axis {
  std::int64_t intervals;
  std::int64_t first;  ///< first unknown point
  std::int64_t count;  ///< number of unknown points
  bool periodic;
  bool lower_given;  ///< the lower end is a Dirichlet face
  bool upper_given;  ///< the upper end is a Dirichlet face
};

/// Describes an axis of a correction's grid.
Axis axis_of(Problem const& correction, int axis) {
  std::int64_t const points = correction.grid.points[axis];
  if (points == 1) return {1, 0, 1, false, false, false};
  if (correction.grid.periodic[axis]) return {points, 0, points, true, false, false};
  bool const lower = is(correction, {axis, false}, BoundaryKind::dirichlet);
  bool const upper = is(correction, {axis, true}, BoundaryKind::dirichlet);
  return {points - 1, lower ? 1 : 0, points - (lower ? 1 : 0) - (upper ? 1 : 0),
          false,      lower,         upper};
}

/// Returns the number of half waves of a mode along the axis: an integer between faces of one kind,
/// an integer plus 1/2 between faces of different kinds. Around a periodic axis cosines and sines
/// alternate.
double half_waves(Axis const& axis, std::int64_t mode) {
  if (axis.periodic) {
    std::int64_t const waves = (mode + 1) / 2;  // two modes each; the constant has one
    return 2.0 * static_cast<double>(waves);
  }
  if (axis.lower_given && axis.upper_given) return static_cast<double>(mode + 1);
  double const half = axis.lower_given != axis.upper_given ? 0.5 : 0.0;
  return static_cast<double>(mode) + half;
}

/// Returns the value of a mode at the axis's point `point`.
double value_at(Axis const& axis, std::int64_t mode, std::int64_t point) {
  bool const is_sine = axis.periodic ? mode % 2 == 0 && mode > 0 : axis.lower_given;
  double const angle = std::numbers::pi * half_waves(axis, mode) * static_cast<double>(point) /
                       static_cast<double>(axis.intervals);
  return is_sine ? std::sin(angle) : std::cos(angle);
}

/// Returns a point's volume along the axis. A point on a Neumann face has half a cell.
double volume(Axis const& axis, std::int64_t point) {
  bool const at_end = point == 0 || point == axis.intervals;
  return at_end && !axis.periodic ? 0.5 : 1.0;
}

}  // namespace

AxisModeValues axis_modes(Problem const& correction, int axis, double weight) {
  // Eigenvalue of the mode with k half waves on m intervals: w (2 − 2 cos(π k / m)).
  Axis const along = axis_of(correction, axis);
  auto const n = static_cast<std::size_t>(along.count);
  // Rows are padded with zeros, so kernels load whole groups.
  auto const pitch = static_cast<std::size_t>(mode_pitch(static_cast<int>(n)));
  AxisModeValues modes;
  modes.count = static_cast<int>(n);
  modes.eigenvalues.resize(pitch);
  modes.to_modes.resize(n * pitch);
  modes.to_points.resize(n * pitch);
  for (std::size_t m = 0; m < n; ++m) {
    auto const mode = static_cast<std::int64_t>(m);
    double const angle =
        std::numbers::pi * half_waves(along, mode) / static_cast<double>(along.intervals);
    modes.eigenvalues[m] = weight * (2.0 - 2.0 * std::cos(angle));
    // Modes are orthogonal in the volume-weighted inner product.
    double length = 0.0;  // squared norm of the mode
    for (std::size_t p = 0; p < n; ++p) {
      std::int64_t const point = along.first + static_cast<std::int64_t>(p);
      double const value = value_at(along, mode, point);
      modes.to_points[m * pitch + p] = value;
      modes.to_modes[p * pitch + m] = volume(along, point) * value;
      length += volume(along, point) * value * value;
    }
    for (std::size_t p = 0; p < n; ++p) modes.to_modes[p * pitch + m] /= length;
  }
  return modes;
}

}  // namespace isotherm
