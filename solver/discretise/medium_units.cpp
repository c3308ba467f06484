#include "solver/discretise/medium_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"

namespace isotherm {

namespace {

/// Returns the power of two closest to a number; 1 if it is not positive and finite.
double power_near(double size) {
  return size > 0.0 && std::isfinite(size) ? std::exp2(std::round(std::log2(size))) : 1.0;
}

/// The smallest and the largest of the sampled conductivities along x.
struct Extremes {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
};

/// Samples up to 9 points per axis, insulated ones excluded.
Extremes extremes_of_some(Problem const& problem) {
  constexpr int parts = 8;
  Extent3 const n = problem.grid.points;
  // Evenly spaced indices, both ends included.
  auto const place = [&](int axis, int part) { return (n[axis] - 1) * part / parts; };
  Extremes extremes;
  for (int k = 0; k <= parts; ++k) {
    for (int j = 0; j <= parts; ++j) {
      for (int i = 0; i <= parts; ++i) {
        Index3 const point{place(0, i), place(1, j), place(2, k)};
        // Insulated points conduct nothing, whatever their conductivity is.
        if (is_insulated(problem, point)) continue;
        double const found = conductivity_at(problem, 0, point);
        if (!(found > 0.0) || !std::isfinite(found)) continue;
        extremes.smallest = std::min(extremes.smallest, found);
        extremes.largest = std::max(extremes.largest, found);
      }
    }
  }
  return extremes;
}

}  // namespace

MediumUnits medium_units(Problem const& problem) {
  Grid const& grid = problem.grid;
  MediumUnits units;
  // The unit of length is the geometric mean of the spacings.
  double sum = 0.0;
  int axes = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    sum += std::log2(grid.spacing[axis]);
    ++axes;
  }
  if (axes > 0) units.length = std::exp2(std::round(sum / axes));
  units.conductivity = power_near(extremes_of_some(problem).largest);
  Index3 const middle{grid.points.x / 2, grid.points.y / 2, grid.points.z / 2};
  // A constant heat capacity is its own unit, so sweeps need not multiply by it.
  ScalarFunction const& capacity = problem.medium.capacity;
  bool const same = capacity.is_constant() && capacity.constant > 0.0;
  units.capacity = same ? capacity.constant : power_near(value_at(capacity, grid, middle));
  return units;
}

double conductivity_ratio(Problem const& problem) {
  Extremes const extremes = extremes_of_some(problem);
  return extremes.largest > 0.0 ? extremes.largest / extremes.smallest : 1.0;
}

double volume_width(Grid const& grid, MediumUnits const& units, int axis, std::int64_t index) {
  std::int64_t const n = grid.points[axis];
  bool const wraps = grid.periodic[axis];
  if (axis >= grid.dimension || (n == 1 && !wraps) || index < 0 || index >= n) return 1.0;
  // Volumes are cut in half at the ends of an axis that is not periodic.
  bool const begins = index == 0, ends = index == n - 1;
  // The gaps before and behind the point; 0 beyond a face.
  double const before = !begins ? grid.gap(axis, index - 1) : wraps ? grid.gap(axis, n - 1) : 0.0;
  double const after = !ends || wraps ? grid.gap(axis, index) : 0.0;
  return grid.width_around(axis, index, before, after) / units.length;
}

PerAxis<std::vector<double>> volume_widths(Grid const& grid, MediumUnits const& units,
                                           GlobalBox box) {
  PerAxis<std::vector<double>> widths;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = box.lower[axis]; i < box.upper[axis]; ++i) {
      widths[axis].push_back(volume_width(grid, units, axis, i));
    }
  }
  return widths;
}

double volume(Grid const& grid, MediumUnits const& units, Index3 global) {
  double product = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    product *= volume_width(grid, units, axis, global[axis]);
  }
  return product;
}

double face_area(Grid const& grid, MediumUnits const& units, int axis, Index3 global) {
  double product = 1.0;
  for (int other = 0; other < grid.dimension; ++other) {
    if (other != axis) product *= volume_width(grid, units, other, global[other]);
  }
  return product;
}

double boundary_area(Grid const& grid, MediumUnits const& units, Face face, Index3 global) {
  return face_area(grid, units, face.axis, global) *
         grid.metric(face.axis, grid.coordinate(face.axis, global[face.axis]));
}

double conductivity_at(Problem const& problem, int axis, Index3 global, double u, double time_s) {
  return problem.diffusivity *
         value_at(problem.medium.conductivity[axis], problem.grid, global, time_s, u);
}

}  // namespace isotherm
