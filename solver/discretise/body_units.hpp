#pragma once

#include <cstdint>
#include <vector>

#include "solver/problem/problem.hpp"

// The numbers of a body are kept in units of its problem's own, so that those of any system of
// units are of ordinary size: powers of two, but for a capacity that is the same everywhere.

namespace isotherm {

/// What the numbers of a body are multiples of.
struct BodyUnits {
  double length = 1.0;
  double conductivity = 1.0;
  double capacity = 1.0;

  /// Of what a flow makes of a point per volume, κ / h².
  [[nodiscard]] double rate() const { return conductivity / (length * length); }
  /// Of time, at which a step forward is Σ g (u(neighbour) − u) / (c V).
  [[nodiscard]] double time() const { return capacity / rate(); }
};
/// Looks at the conductivity of some hundreds of points: whoever needs the units again and again
/// keeps them.
BodyUnits body_units(Problem const& problem);

/// κ along an axis, in its own units, diffusivity included.
double conductivity_at(Problem const& problem, int axis, Index3 global);

/// How many times as well some points conduct as others; of those that are looked at.
double conductivity_ratio(Problem const& problem);

/// The width of a point's volume along an axis: half the way to each neighbour. 1 unit of length
/// along axes of a single point that do not close on themselves, and beyond an axis' ends.
double volume_width(Grid const& grid, BodyUnits const& units, int axis, std::int64_t index);
/// Those of all indices that a box has on each axis.
PerAxis<std::vector<double>> volume_widths(Grid const& grid, BodyUnits const& units, GlobalBox box);
/// The volume itself, in units.
double volume(Grid const& grid, BodyUnits const& units, Index3 global);
/// The area that a face of the grid has at a point, in units.
double face_area(Grid const& grid, BodyUnits const& units, int axis, Index3 global);

}  // namespace isotherm
