#include "solver/discretise/shapes/face_shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/electrode_rim.hpp"
#include "solver/discretise/shapes/mixture.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the face of a point's control volume: its parts, which have no length along the axis.
std::vector<Cell> parts_of_face(Grid const& grid, Face face, Index3 global) {
  std::vector<Cell> parts;
  double const at = grid.coordinate(face.axis, global[face.axis]);
  for_each_part(grid, global, [&](Cell part) {
    part[face.axis] = {at, at};
    parts.push_back(part);
  });
  return parts;
}

/// Returns the condition of a face (number 0), or of the patch before `number`.
BoundaryCondition const& condition_of(Problem const& problem, Face face, std::size_t number) {
  return number == 0 ? problem.boundary[face] : problem.patches[number - 1].condition;
}

/// The part of a point's face in which a condition applies.
struct ConditionShare {
  std::size_t number = 0;  ///< see condition_of()
  double share = 0.0;
};

/// Returns true if a region may cover a part of a cell on a face across `axis`.
bool may_cover(Region const& region, Cell const& cell, int axis) {
  if (!region.solid || region.at_points) return true;
  Cell const bounds = bounds_of(*region.solid);
  for (int along = 0; along < 3; ++along) {
    if (along == axis) continue;
    if (bounds[along].upper < cell[along].lower || bounds[along].lower > cell[along].upper) {
      return false;
    }
  }
  return true;
}

/// The conditions that may apply to a part of a point's face, the face's own first.
struct NearConditions {
  std::vector<Region const*> regions{};
  std::vector<std::size_t> numbers{};
};

NearConditions conditions_near(Problem const& problem, Face face, Cell const& cell) {
  static Region const all_of_it;
  NearConditions near{{&all_of_it}, {0}};
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    BoundaryPatch const& patch = problem.patches[i];
    if (patch.face != face || !may_cover(patch.where, cell, face.axis)) continue;
    near.regions.push_back(&patch.where);
    near.numbers.push_back(i + 1);
  }
  return near;
}

/// Adds to the share of a condition.
void add(std::vector<ConditionShare>& shares, std::size_t number, double share) {
  auto const same = [&](ConditionShare const& one) { return one.number == number; };
  auto const found = std::ranges::find_if(shares, same);
  if (found == shares.end()) {
    shares.push_back({number, share});
  } else {
    found->share += share;
  }
}

/// Returns the open shares of the conditions that apply to a point's face, in ascending order of
/// their numbers.
std::vector<ConditionShare> shares_of(Problem const& problem, Face face, Index3 global) {
  std::vector<ConditionShare> shares;
  auto const [x, y, z] = coordinates(problem.grid, global);
  bool const rims = has_rims(problem, face);
  double area = 0.0;
  for (Cell const& whole : parts_of_face(problem.grid, face, global)) {
    NearConditions const near = conditions_near(problem, face, whole);
    for (Cell const& part : cut_by_boxes(whole, near.regions, face.axis)) {
      Mixture mixture(near.regions.size());
      for (std::size_t i = 1; i < near.regions.size(); ++i) {
        mixture.set_share(i, covered_share(problem.grid, *near.regions[i], part, {x, y, z}));
      }
      double const open =
          volume_of(problem.grid, part) * open_share_on(problem, face, part, {x, y, z});
      for (std::size_t i = 0; i < near.numbers.size(); ++i) {
        // If electrodes are sets of points, the other conditions share the whole face of a point
        // outside of them.
        std::size_t const number = near.numbers[i];
        bool const is_given = condition_of(problem, face, number).kind == BoundaryKind::dirichlet;
        if (!is_given || rims) area += volume_of(problem.grid, part) * mixture.fraction(i);
        if (is_given) continue;
        add(shares, number, open * mixture.fraction(i));
      }
    }
  }
  for (ConditionShare& one : shares) one.share = area > 0.0 ? one.share / area : 0.0;
  std::ranges::sort(shares, {}, &ConditionShare::number);
  return shares;
}

/// Returns the indices along an axis of all points whose control volumes may meet an interval.
std::pair<std::int64_t, std::int64_t> indices_near(Grid const& grid, int axis, Interval within) {
  std::int64_t const last = grid.points[axis] - 1;
  // The volume of the first point of a periodic axis has a part at the upper end.
  if (grid.periodic[axis] || axis >= grid.dimension) return {0, last};
  auto const index = [&](double place, double round(double), double by) {
    double const inside = std::clamp(place, grid.lower[axis], grid.upper(axis));
    return static_cast<std::int64_t>(
        std::clamp(round(grid.position(axis, inside)) + by, 0.0, static_cast<double>(last)));
  };
  return {index(within.lower, std::floor, -1.0), index(within.upper, std::ceil, 1.0)};
}

/// Calls visit(point) for the points of the grid on a face whose control volumes may meet a region.
template <class Visit>
void for_each_point_on(Grid const& grid, Face face, Region const& region, Visit const& visit) {
  GlobalBox points = grid.box();
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const at = face.upper ? points.upper[axis] - 1 : 0;
    std::pair<std::int64_t, std::int64_t> ends{0, points.upper[axis] - 1};
    if (region.solid) ends = indices_near(grid, axis, bounds_of(*region.solid)[axis]);
    if (axis == face.axis) ends = {at, at};
    points.lower[axis] = ends.first;
    points.upper[axis] = ends.second + 1;
  }
  for (std::int64_t k = points.lower.z; k < points.upper.z; ++k) {
    for (std::int64_t j = points.lower.y; j < points.upper.y; ++j) {
      for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) visit(Index3{i, j, k});
    }
  }
}

/// Returns Grid::metric() at a part of a face across the radius; 1 at others, whose volume_of()
/// contains it.
double metric_at(Grid const& grid, Cell const& part) {
  return part[0].length() > 0.0 ? 1.0 : grid.metric(0, part[0].lower);
}

}  // namespace

void for_each_condition(Problem const& problem, Face face, Index3 global,
                        ConditionVisit const& visit) {
  auto const at_point = [&](double share) {
    visit(condition_at_point(problem, face, global), share, patch_at_point(problem, face, global));
  };
  if (is_fixed_by_face(problem, face, global)) return at_point(1.0);
  double const open = open_share_of_boundary(problem, face, global);
  if (open == 0.0 || !is_patched(problem, face)) return at_point(open);
  for (RimCondition const& rim : rim_conditions(problem, face, global)) {
    visit(rim.condition, open, rim.patch);
  }
  for (ConditionShare const& one : shares_of(problem, face, global)) {
    if (!(one.share > 0.0)) continue;
    visit(condition_of(problem, face, one.number), one.share, static_cast<int>(one.number) - 1);
  }
}

double covered_area(Problem const& problem, Face face, Region const& region) {
  Region on_face = region;
  if (on_face.solid) on_face.solid = including_plane(*on_face.solid, problem.grid, face);
  double sum = 0.0;
  for_each_point_on(problem.grid, face, region, [&](Index3 point) {
    auto const [x, y, z] = coordinates(problem.grid, point);
    for (Cell const& part : parts_of_face(problem.grid, face, point)) {
      sum += volume_of(problem.grid, part) * metric_at(problem.grid, part) *
             covered_share(problem.grid, on_face, part, {x, y, z});
    }
  });
  return sum;
}

double flux_area(Problem const& problem, Face face, std::optional<std::size_t> patch) {
  Region const region = patch ? problem.patches[*patch].where : Region{};
  std::size_t const number = patch ? *patch + 1 : 0;
  double sum = 0.0;
  for_each_point_on(problem.grid, face, region, [&](Index3 point) {
    if (is_fixed_by_face(problem, face, point) ||
        is_outside(problem, constraint_of(problem, point)))
      return;
    if (is_insulated_point(problem, point)) return;
    for (ConditionShare const& one : shares_of(problem, face, point)) {
      if (one.number != number) continue;
      sum += one.share * boundary_area(problem.grid, MediumUnits{}, face, point);
    }
  });
  return sum;
}

}  // namespace isotherm
