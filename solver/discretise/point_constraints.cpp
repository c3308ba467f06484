#include "solver/discretise/point_constraints.hpp"

#include <algorithm>
#include <array>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/electrode_rim.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// True if an index is the first or last of an axis that the grid has.
bool is_end(Grid const& grid, int axis, std::int64_t index) {
  return axis < grid.dimension && (index == 0 || index == grid.points[axis] - 1);
}

/// Returns the first face that fixes a point, or constraint::none.
int constraining_face(Problem const& problem, Index3 global) {
  for (Face const face : faces(problem.grid)) {
    if (!lies_on(problem.grid, face, global)) continue;
    if (is_fixed_by_face(problem, face, global)) return face.index();
  }
  return constraint::none;
}

/// True if a place lies in an insulated region.
bool is_insulated(Medium const& medium, double x, double y, double z) {
  return std::ranges::any_of(medium.insulated,
                             [&](Region const& region) { return region.contains(x, y, z); });
}

/// True if a region with a given value, by the number of its constraint, is no part of the medium.
bool is_fluid(Medium const& medium, int number) {
  return number >= constraint::first_region &&
         medium.fixed[static_cast<std::size_t>(number - constraint::first_region)].is_excluded;
}

/// Returns the last fixed region that contains a place, or else insulation, or none. Excluded
/// regions (FixedRegion::is_excluded) have the lowest precedence of the fixed regions.
int constraining_region(Medium const& medium, double x, double y, double z) {
  int outside = constraint::none;
  for (std::size_t number = medium.fixed.size(); number > 0; --number) {
    FixedRegion const& region = medium.fixed[number - 1];
    if (!region.where.contains(x, y, z)) continue;
    int const found = constraint::first_region + static_cast<int>(number) - 1;
    if (!region.is_excluded) return found;
    if (outside == constraint::none) outside = found;
  }
  if (outside != constraint::none) return outside;
  return is_insulated(medium, x, y, z) ? constraint::insulation : constraint::none;
}

}  // namespace

bool lies_on(Grid const& grid, Face face, Index3 global) {
  return global[face.axis] == (face.upper ? grid.points[face.axis] - 1 : 0);
}

BoundaryCondition const& condition_at_point(Problem const& problem, Face face, Index3 global) {
  // Without patches no coordinates are needed.
  if (problem.patches.empty()) return condition(problem, face);
  auto const [x, y, z] = coordinates(problem.grid, global);
  return condition_at(problem, face, x, y, z);
}

bool is_insulated(Problem const& problem, Index3 global) {
  if (problem.medium.insulated.empty()) return false;
  auto const [x, y, z] = coordinates(problem.grid, global);
  return is_insulated(problem.medium, x, y, z);
}

bool is_outside(Problem const& problem, int constraint_number) {
  return constraint_number == constraint::insulation || is_fluid(problem.medium, constraint_number);
}

bool is_excluded(Problem const& problem, Index3 global) {
  if (!may_exclude_points(problem)) return false;
  auto const [x, y, z] = coordinates(problem.grid, global);
  int const region = constraining_region(problem.medium, x, y, z);
  // The first condition is cheaper, and false at most points.
  if (!is_outside(problem, region)) return false;
  int const constraint = constraint_of(problem, global);
  // A point in a region is unknown if its volume is open. Its value is no result even so.
  return constraint == region || constraint == constraint::none;
}

bool may_exclude_points(Problem const& problem) {
  return !problem.medium.insulated.empty() ||
         std::ranges::any_of(problem.medium.fixed,
                             [](FixedRegion const& region) { return region.is_excluded; });
}

PointSet excluded_points(Problem const& problem) {
  if (!may_exclude_points(problem)) return {};
  return [&problem](Index3 global) { return is_excluded(problem, global); };
}

double share_of_point(Problem const& problem, Index3 global) {
  if (!may_exclude_points(problem)) return 1.0;
  if (is_outside(problem, constraint_of(problem, global))) return 0.0;
  return open_share_of_volume(problem, global);
}

PointShare shares_of_points(Problem const& problem) {
  if (!has_open_shares(problem)) return {};
  return [&problem](Index3 global) { return share_of_point(problem, global); };
}

int constraint_of(Problem const& problem, Index3 global) {
  int constraint = constraint::none;
  find_constraints(problem, global, {&constraint, 1});
  return constraint;
}

void find_constraints(Problem const& problem, Index3 first, std::span<int> constraints) {
  Grid const& grid = problem.grid;
  // Only points at the ends of an axis can be on a face.
  bool const at_end = is_end(grid, 1, first.y) || is_end(grid, 2, first.z);
  std::int64_t x = first.x;
  for (int& constraint : constraints) {
    bool const on_face = at_end || is_end(grid, 0, x);
    constraint = on_face ? constraining_face(problem, {x, first.y, first.z}) : constraint::none;
    ++x;
  }
  Medium const& medium = problem.medium;
  // Without regions the faces alone decide.
  if (medium.fixed.empty() && medium.insulated.empty()) return;
  double const at_y = grid.coordinate(1, first.y), at_z = grid.coordinate(2, first.z);
  // Faces have precedence over regions.
  x = first.x;
  for (int& constraint : constraints) {
    if (constraint == constraint::none) {
      constraint = constraining_region(medium, grid.coordinate(0, x), at_y, at_z);
      bool const inside = is_outside(problem, constraint);
      if (inside && is_open(problem, {x, first.y, first.z})) constraint = constraint::none;
    }
    ++x;
  }
}

int material_number(Problem const& problem, Index3 global) {
  Medium const& medium = problem.medium;
  std::array<double, 3> const at = coordinates(problem.grid, global);
  int const region = constraining_region(medium, at[0], at[1], at[2]);
  if (region >= constraint::first_region && !is_fluid(medium, region)) {
    return excluded_material - 1 - (region - constraint::first_region);
  }
  if (is_excluded(problem, global)) return excluded_material;
  auto const contains = [&](Region const& material) {
    return material.contains(at[0], at[1], at[2]);
  };
  auto const topmost = std::find_if(medium.materials.rbegin(), medium.materials.rend(), contains);
  return static_cast<int>(medium.materials.rend() - topmost);
}

ScalarFunction const* fixed_value(Problem const& problem, int constraint, Index3 global) {
  if (constraint < 0) return nullptr;
  if (constraint >= constraint::first_region) {
    return &problem.medium.fixed[static_cast<std::size_t>(constraint - constraint::first_region)]
                .value;
  }
  return &condition_at_point(problem, Face::from_index(constraint), global).value;
}

}  // namespace isotherm
