#include "solver/discretise/shapes/face_shares.hpp"

#include <algorithm>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
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

/// Returns the open shares of a face's own condition and of its patches, in this order. The entries
/// of patches of other faces are 0.
std::vector<double> shares_of(Problem const& problem, Face face, Index3 global) {
  Region const all_of_it;
  std::vector<Region const*> regions{&all_of_it};
  std::vector<std::size_t> numbers{0};
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    if (problem.patches[i].face != face) continue;
    regions.push_back(&problem.patches[i].where);
    numbers.push_back(i + 1);
  }
  std::vector<double> shares(problem.patches.size() + 1, 0.0);
  auto const [x, y, z] = coordinates(problem.grid, global);
  double area = 0.0;
  for (Cell const& whole : parts_of_face(problem.grid, face, global)) {
    for (Cell const& part : cut_by_boxes(whole, regions, face.axis)) {
      Mixture mixture(regions.size());
      for (std::size_t i = 1; i < regions.size(); ++i) {
        mixture.set_share(i, covered_share(*regions[i], part, {x, y, z}));
      }
      double const open = volume_of(part) * open_share(problem, part, {x, y, z});
      for (std::size_t i = 0; i < regions.size(); ++i) {
        // At a point without a Dirichlet value the other conditions share the whole face.
        if (condition_of(problem, face, numbers[i]).kind == BoundaryKind::dirichlet) continue;
        area += volume_of(part) * mixture.fraction(i);
        shares[numbers[i]] += open * mixture.fraction(i);
      }
    }
  }
  for (double& share : shares) share = area > 0.0 ? share / area : 0.0;
  return shares;
}

/// Calls visit(point) for the points of the grid on a face.
template <class Visit>
void for_each_point_on(Grid const& grid, Face face, Visit const& visit) {
  GlobalBox points = grid.box();
  (face.upper ? points.lower : points.upper)[face.axis] =
      face.upper ? points.upper[face.axis] - 1 : 1;
  for (std::int64_t k = points.lower.z; k < points.upper.z; ++k) {
    for (std::int64_t j = points.lower.y; j < points.upper.y; ++j) {
      for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) visit(Index3{i, j, k});
    }
  }
}

}  // namespace

void for_each_condition(
    Problem const& problem, Face face, Index3 global,
    std::function<void(BoundaryCondition const& condition, double share)> const& visit) {
  BoundaryCondition const& at_point = condition_at_point(problem, face, global);
  if (at_point.kind == BoundaryKind::dirichlet) return visit(at_point, 1.0);
  double const open = open_share_of_boundary(problem, face, global);
  if (open == 0.0 || !is_patched(problem, face)) return visit(at_point, open);
  std::vector<double> const shares = shares_of(problem, face, global);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 0.0) visit(condition_of(problem, face, i), shares[i]);
  }
}

double covered_area(Problem const& problem, Face face, Region const& region) {
  Region on_face = region;
  if (on_face.solid) on_face.solid = including_plane(*on_face.solid, problem.grid, face);
  double sum = 0.0;
  for_each_point_on(problem.grid, face, [&](Index3 point) {
    auto const [x, y, z] = coordinates(problem.grid, point);
    for (Cell const& part : parts_of_face(problem.grid, face, point)) {
      sum += volume_of(part) * covered_share(on_face, part, {x, y, z});
    }
  });
  return sum;
}

double flux_area(Problem const& problem, Face face, std::optional<std::size_t> patch) {
  double sum = 0.0;
  for_each_point_on(problem.grid, face, [&](Index3 point) {
    bool const given = condition_at_point(problem, face, point).kind == BoundaryKind::dirichlet;
    if (given || is_outside(problem, constraint_of(problem, point))) return;
    if (is_insulated_point(problem, point)) return;
    double const share = shares_of(problem, face, point)[patch ? *patch + 1 : 0];
    sum += share * face_area(problem.grid, MediumUnits{}, face.axis, point);
  });
  return sum;
}

}  // namespace isotherm
