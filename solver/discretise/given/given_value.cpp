#include "solver/discretise/given/given_value.hpp"

#include <cmath>

#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the value that a face gives at one of its points, if it is finite.
std::optional<double> value_given_at(Problem const& problem, Face face, Index3 point) {
  BoundaryCondition const& condition = condition_at_point(problem, face, point);
  auto const [x, y, z] = coordinates(problem.grid, point);
  // A Robin face with coefficient 0 is insulated and gives nothing.
  bool const gives = condition.kind == BoundaryKind::dirichlet ||
                     (condition.kind == BoundaryKind::robin &&
                      condition.coefficient(x, y, z, problem.start_time_s) > 0.0);
  double const value = gives ? condition.value(x, y, z, problem.start_time_s) : 0.0;
  return gives && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns the first value that a face gives, over the whole grid.
std::optional<double> value_given_by(Problem const& problem, Face face) {
  GlobalBox points = problem.grid.box();
  points.lower[face.axis] = face.upper ? points.upper[face.axis] - 1 : 0;
  points.upper[face.axis] = points.lower[face.axis] + 1;
  for (std::int64_t k = points.lower.z; k < points.upper.z; ++k) {
    for (std::int64_t j = points.lower.y; j < points.upper.y; ++j) {
      for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) {
        if (auto const value = value_given_at(problem, face, {i, j, k})) return value;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> value_given_by_faces(Problem const& problem) {
  // Scanning a whole face is worthwhile only if it can give values.
  for (Face const face : faces(problem.grid)) {
    bool const may_give = is_patched(problem, face) || is(problem, face, BoundaryKind::dirichlet) ||
                          is(problem, face, BoundaryKind::robin);
    if (!may_give) continue;
    if (auto const value = value_given_by(problem, face)) return value;
  }
  return std::nullopt;
}

ValueRange ambient_range(Problem const& problem, Subdomain const& subdomain) {
  ValueRange range;
  for (Face const face : faces(problem.grid)) {
    if (!is_patched(problem, face) && !is(problem, face, BoundaryKind::robin)) continue;
    LocalBox const points = face_points(subdomain, face);
    for (std::int64_t k = points.lower.z; k < points.upper.z; ++k) {
      for (std::int64_t j = points.lower.y; j < points.upper.y; ++j) {
        for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) {
          Index3 const point = subdomain.to_global(Index3{i, j, k});
          BoundaryCondition const& condition = condition_at_point(problem, face, point);
          if (condition.kind == BoundaryKind::neumann) continue;
          if (auto const value = value_given_at(problem, face, point)) range.add(*value);
        }
      }
    }
  }
  return range;
}

}  // namespace isotherm
