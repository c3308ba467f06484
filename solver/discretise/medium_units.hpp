#pragma once

#include <cstdint>
#include <vector>

#include "solver/problem/problem.hpp"

// Units of a heterogeneous medium. Its numbers are scaled, so that they are in the range of float32
// in any system of units. The units are powers of two, so scaling is exact. The one exception is a
// constant heat capacity, which is its own unit.

namespace isotherm {

/// The units of a medium, in the problem's own units.
struct MediumUnits {
  double length = 1.0;        ///< unit of length: a mean of the spacings
  double conductivity = 1.0;  ///< unit of κ: its largest sampled value
  double capacity = 1.0;      ///< unit of c: its constant value, or one of the same magnitude

  /// Returns the unit of a flow per volume, κ / h².
  [[nodiscard]] double rate() const { return conductivity / (length * length); }
  /// Returns the unit of time. In it, an explicit step is Σ g (u(neighbour) − u) / (c V).
  [[nodiscard]] double time() const { return capacity / rate(); }
};
/// Chooses the units from the grid and from the conductivities along x at up to 9 points per axis.
/// Every rank chooses the same units. Callers that need them repeatedly should store the result.
MediumUnits medium_units(Problem const& problem);

/// Returns the conductivity along an axis in the problem's units, times the diffusivity.
/// @param u, time_s  the value of the field and the time, on which it may depend
double conductivity_at(Problem const& problem, int axis, Index3 global, double u = 0.0,
                       double time_s = 0.0);

/// Returns the ratio of the largest to the smallest sampled conductivity along x; 1 if no sample is
/// positive.
double conductivity_ratio(Problem const& problem);

/// Returns the width of a point's control volume along an axis, in units: half the distance to each
/// neighbour, or along a radius the integral of Grid::metric() over it. It is 1 along axes of a
/// single point that are not periodic, and beyond an axis's ends.
double volume_width(Grid const& grid, MediumUnits const& units, int axis, std::int64_t index);
/// Returns the widths for all indices of a box, along each axis.
PerAxis<std::vector<double>> volume_widths(Grid const& grid, MediumUnits const& units,
                                           GlobalBox box);
/// Returns the control volume of a point, in units.
double volume(Grid const& grid, MediumUnits const& units, Index3 global);
/// Returns the area of a control volume's face across an axis, in units. Across a radius it lacks
/// the factor Grid::metric(), which Grid::conducting_gap() contains.
double face_area(Grid const& grid, MediumUnits const& units, int axis, Index3 global);
/// Returns the area of a control volume's face on a face of the grid, in units.
/// @param global  a point on that face
double boundary_area(Grid const& grid, MediumUnits const& units, Face face, Index3 global);

}  // namespace isotherm
