#include "solver/multigrid/cycle_types.hpp"

#include <algorithm>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/medium_units.hpp"

namespace isotherm {

namespace {

/// True if a face, a patch or the surface of a region gives the field its value directly.
bool has_direct_value(Problem const& problem) {
  auto const is_direct = [](FixedRegion const& region) { return !region.film_coefficient; };
  auto const is_given = [&](Face face) {
    return has_anywhere(problem, face, BoundaryKind::dirichlet);
  };
  return std::ranges::any_of(faces(problem.grid), is_given) ||
         std::ranges::any_of(problem.medium.fixed, is_direct);
}

/// Returns the mean Robin coefficient of a face, from up to 9 points along each axis.
double mean_coefficient(Problem const& problem, Face face) {
  constexpr int parts = 8;
  constexpr MediumUnits plain_units{};
  Extent3 const n = problem.grid.points;
  double sum = 0.0;
  int count = 0;
  for (int second = 0; second <= parts; ++second) {
    for (int first = 0; first <= parts; ++first) {
      Index3 point;
      int next = first;
      for (int axis = 0; axis < 3; ++axis) {
        if (axis == face.axis) continue;
        point[axis] = (n[axis] - 1) * next / parts;
        next = second;
      }
      point[face.axis] = face.upper ? n[face.axis] - 1 : 0;
      sum += robin_conductance(problem, plain_units, face, point) /
             boundary_area(problem.grid, plain_units, face, point);
      ++count;
    }
  }
  return sum / count;
}

/// Returns the mean reaction coefficient of up to 9 points along each axis.
double mean_reaction(Problem const& problem) {
  constexpr int parts = 8;
  if (problem.reaction.is_constant()) return problem.reaction.constant;
  Extent3 const n = problem.grid.points;
  auto const place = [&](int axis, int part) { return (n[axis] - 1) * part / parts; };
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k <= parts; ++k) {
    for (int j = 0; j <= parts; ++j) {
      for (int i = 0; i <= parts; ++i, ++count) {
        sum += value_at(problem.reaction, problem.grid, {place(0, i), place(1, j), place(2, k)});
      }
    }
  }
  return sum / count;
}

/// True if Robin faces, films and a reaction term alone hold the field of a steady problem, and
/// their conductance is below a thousandth of that of the medium.
bool is_held_weakly(Problem const& problem) {
  constexpr double weak = 1e-3;
  Grid const& grid = problem.grid;
  if (problem.equation == Equation::diffusion || has_direct_value(problem)) return false;
  double volume = 1.0, longest = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    volume *= grid.length(axis);
    longest = std::max(longest, grid.length(axis));
  }
  if (longest == 0.0) return false;
  bool held = !problem.reaction.is_zero();
  double conductance = mean_reaction(problem) * volume;
  for (Face const face : faces(grid)) {
    if (!may_be_robin(problem, face) || grid.points[face.axis] == 1) continue;
    held = true;
    conductance += mean_coefficient(problem, face) * volume / grid.length(face.axis);
  }
  for (FixedRegion const& region : problem.medium.fixed) {
    held = true;
    conductance += *region.film_coefficient * volume / longest;
  }
  double const medium = medium_units(problem).conductivity * volume / (longest * longest);
  return held && !(conductance >= weak * medium);
}

}  // namespace

bool asks_for_float64(Problem const& problem) {
  // In float32 the flow from a weak conductor is lost in the rounding of a good conductor's flows.
  constexpr double largest_of_conductivities = 1e5;
  if (is_heterogeneous(problem)) {
    return conductivity_ratio(problem) > largest_of_conductivities || is_held_weakly(problem);
  }
  constexpr double largest_ratio = 300.0;  // of spacings; float32 then resolves two digits
  Grid const& grid = problem.grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (has_dirichlet_end(problem, axis) || grid.points[axis] == 1) continue;
    for (int other = 0; other < grid.dimension; ++other) {
      if (grid.points[other] > 1 && grid.spacing[other] > largest_ratio * grid.spacing[axis]) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace isotherm
