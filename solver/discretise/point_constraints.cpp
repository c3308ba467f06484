#include "solver/discretise/point_constraints.hpp"

#include <algorithm>

#include "solver/discretise/evaluate.hpp"
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
    bool const gives = condition_at_point(problem, face, global).kind == BoundaryKind::dirichlet;
    if (gives) return face.index();
  }
  return constraint::none;
}

/// True if a place lies in an insulated region.
bool is_insulated(Medium const& medium, double x, double y, double z) {
  return std::ranges::any_of(medium.insulated,
                             [&](Region const& region) { return region.contains(x, y, z); });
}

/// The region of an element of a list of regions or of fixed regions.
Region const& region_of(Region const& region) { return region; }
Region const& region_of(FixedRegion const& fixed) { return fixed.where; }

/// Returns the number of the last region that contains a place, counted from 1; 0 if none does.
template <class Regions>
int topmost(Regions const& regions, double x, double y, double z) {
  for (std::size_t number = regions.size(); number > 0; --number) {
    if (region_of(regions[number - 1]).contains(x, y, z)) return static_cast<int>(number);
  }
  return 0;
}

/// Returns the last fixed region that contains a place, or else insulation, or none.
int constraining_region(Medium const& medium, double x, double y, double z) {
  int const fixed = topmost(medium.fixed, x, y, z);
  if (fixed > 0) return constraint::first_region + fixed - 1;
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

bool is_excluded(Problem const& problem, Index3 global) {
  // The first condition is cheaper, and false at most points.
  return is_insulated(problem, global) && constraint_of(problem, global) == constraint::insulation;
}

PointSet excluded_points(Problem const& problem) {
  if (!may_exclude_points(problem)) return {};
  return [&problem](Index3 global) { return is_excluded(problem, global); };
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
    if (constraint == constraint::none)
      constraint = constraining_region(medium, grid.coordinate(0, x), at_y, at_z);
    ++x;
  }
}

int material_number(Problem const& problem, Index3 global) {
  Medium const& medium = problem.medium;
  auto const [x, y, z] = coordinates(problem.grid, global);
  // Points with a given value are never excluded.
  int const fixed = topmost(medium.fixed, x, y, z);
  if (fixed > 0) return excluded_material - fixed;
  return is_excluded(problem, global) ? excluded_material : topmost(medium.materials, x, y, z);
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
