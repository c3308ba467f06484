#include "solver/discretise/point_constraints.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
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

/// True if a point lies where a periodic axis closes, at both ends of it.
bool lies_on_seam(Grid const& grid, Index3 global) {
  return (grid.periodic[0] && global.x == 0) || (grid.periodic[1] && global.y == 0) ||
         (grid.periodic[2] && global.z == 0);
}

/// True if a region contains a point where a periodic axis closes by its coordinates at the other
/// end, and gives it the same value there.
bool ends_on_seam(FixedRegion const& region, Grid const& grid, Index3 global) {
  if (region.is_excluded) return false;
  auto const place = place_inside(region.where, grid, global);
  if (!place) return false;
  ScalarFunction const& value = region.value;
  if (value.is_constant() || region.floating_flux) return true;
  auto const [x, y, z] = coordinates(grid, global);
  return !value.varies_in_time &&
         value(x, y, z, 0.0) == value((*place)[0], (*place)[1], (*place)[2], 0.0);
}

/// The fixed and insulated regions that may contain points of a row along x. A single point is not
/// worth the search, so all regions are near it.
class RegionsNearRow {
 public:
  RegionsNearRow() = default;
  RegionsNearRow(Problem const& problem, Index3 row, std::size_t points) {
    constexpr std::size_t worthwhile = 16;
    if (points < worthwhile) return;
    Grid const& grid = problem.grid;
    std::vector<char> fixed, insulated;
    bool any = false;
    for (FixedRegion const& region : problem.medium.fixed) {
      fixed.push_back(misses_row(region.where, grid, row) ? 0 : 1);
      any = any || fixed.back() != 0;
    }
    for (Region const& region : problem.medium.insulated) {
      insulated.push_back(misses_row(region, grid, row) ? 0 : 1);
      any = any || insulated.back() != 0;
    }
    fixed_ = std::move(fixed);
    insulated_ = std::move(insulated);
    none_ = !any;
  }
  [[nodiscard]] bool has_none() const { return none_; }
  [[nodiscard]] bool has_fixed(std::size_t number) const {
    return fixed_.empty() || fixed_[number] != 0;
  }
  [[nodiscard]] bool has_insulated(std::size_t number) const {
    return insulated_.empty() || insulated_[number] != 0;
  }

 private:
  std::vector<char> fixed_{};  ///< for each region; empty: all are near
  std::vector<char> insulated_{};
  bool none_ = false;
};

/// Returns the last fixed region that contains a point, or else insulation, or none. Excluded
/// regions (FixedRegion::is_excluded) have the lowest precedence of the fixed regions.
/// @param global   the point at the place; none: the place is no point of the grid
/// @param x, y, z  the coordinates of the place
int constraining_region(Problem const& problem, std::optional<Index3> global, double x, double y,
                        double z, RegionsNearRow const& near = {}) {
  Medium const& medium = problem.medium;
  bool const on_seam = global && lies_on_seam(problem.grid, *global);
  std::vector<FixedRegion> const& given = original_of(problem).medium.fixed;
  int outside = constraint::none;
  for (std::size_t number = medium.fixed.size(); number > 0; --number) {
    if (!near.has_fixed(number - 1)) continue;
    FixedRegion const& region = medium.fixed[number - 1];
    bool const contains = region.where.contains(x, y, z) ||
                          (on_seam && ends_on_seam(given[number - 1], problem.grid, *global));
    if (!contains) continue;
    int const found = constraint::first_region + static_cast<int>(number) - 1;
    if (!region.is_excluded) return found;
    if (outside == constraint::none) outside = found;
  }
  if (outside != constraint::none) return outside;
  for (std::size_t number = 0; number < medium.insulated.size(); ++number) {
    if (!near.has_insulated(number)) continue;
    if (medium.insulated[number].contains(x, y, z)) return constraint::insulation;
  }
  return constraint::none;
}

/// Returns the constraint of a point that no face fixes. Open volumes of points in a region are
/// unknown, and shut volumes of points outside of all regions are insulated.
/// @param region  the constraint by the regions that contain the point
int with_shut_volumes(Problem const& problem, int region, Index3 global) {
  if (region == constraint::none) {
    return is_shut_in(problem, global) ? constraint::insulation : constraint::none;
  }
  return is_outside(problem, region) && is_open(problem, global) ? constraint::none : region;
}

/// Returns the material number of a fixed region, by its constraint; none for other constraints and
/// for fluids.
std::optional<int> number_of_fixed(Medium const& medium, int region) {
  if (region < constraint::first_region || is_fluid(medium, region)) return std::nullopt;
  return excluded_material - 1 - (region - constraint::first_region);
}

/// Returns the number of the last material that contains a place, from 1; 0 if none does.
int topmost_material(Medium const& medium, double x, double y, double z) {
  auto const contains = [&](Region const& material) { return material.contains(x, y, z); };
  auto const topmost = std::find_if(medium.materials.rbegin(), medium.materials.rend(), contains);
  return static_cast<int>(medium.materials.rend() - topmost);
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

int patch_at_point(Problem const& problem, Face face, Index3 global) {
  if (problem.patches.empty()) return no_patch;
  auto const [x, y, z] = coordinates(problem.grid, global);
  return patch_at(problem, face, {x, y, z});
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
  int const region = constraining_region(problem, global, x, y, z);
  // The first conditions are cheaper, and false at most points.
  if (region == constraint::none) {
    return is_shut_in(problem, global) && constraint_of(problem, global) == constraint::insulation;
  }
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

int constraint_by_region(Problem const& problem, Index3 global) {
  auto const [x, y, z] = coordinates(problem.grid, global);
  return with_shut_volumes(problem, constraining_region(problem, global, x, y, z), global);
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
  RegionsNearRow const near(problem, first, constraints.size());
  if (near.has_none()) return;
  double const at_y = grid.coordinate(1, first.y), at_z = grid.coordinate(2, first.z);
  // Faces have precedence over regions.
  x = first.x;
  for (int& constraint : constraints) {
    if (constraint == constraint::none) {
      Index3 const global{x, first.y, first.z};
      constraint = constraining_region(problem, global, grid.coordinate(0, x), at_y, at_z, near);
      constraint = with_shut_volumes(problem, constraint, global);
    }
    ++x;
  }
}

int material_number(Problem const& problem, Index3 global) {
  auto const [x, y, z] = coordinates(problem.grid, global);
  int const region = constraining_region(problem, global, x, y, z);
  if (auto const number = number_of_fixed(problem.medium, region)) return *number;
  if (is_excluded(problem, global)) return excluded_material;
  return topmost_material(problem.medium, x, y, z);
}

bool knows_surfaces(Problem const& problem) {
  Medium const& medium = problem.medium;
  auto const at_points = [](Region const& region) { return region.at_points; };
  return std::ranges::none_of(medium.materials, at_points) &&
         std::ranges::none_of(medium.insulated, at_points) &&
         std::ranges::none_of(medium.fixed, at_points, &FixedRegion::where);
}

int material_at_place(Problem const& problem, PerAxis<double> const& place) {
  auto const [x, y, z] = place.values;
  int const region = constraining_region(problem, std::nullopt, x, y, z);
  if (auto const number = number_of_fixed(problem.medium, region)) return *number;
  if (is_outside(problem, region)) return excluded_material;
  return topmost_material(problem.medium, x, y, z);
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
