#include "solver/discretise/given/given_range.hpp"

#include <algorithm>
#include <cmath>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Adds the values that a condition gives at a point.
void add_given(BoundaryCondition const& condition, PerAxis<double> const& place, double time_s,
               ValueRange& range) {
  bool const gives =
      condition.kind == BoundaryKind::dirichlet || condition.kind == BoundaryKind::robin;
  if (!gives || condition.value.depends_on_u) return;
  double const value = condition.value(place[0], place[1], place[2], time_s);
  if (std::isfinite(value)) range.add(value);
}

/// Adds the values that faces and regions give at a point.
void add_given_at(Problem const& problem, Index3 point, ValueRange& range) {
  PerAxis<double> const place = place_of(problem.grid, point);
  for (Face const face : faces(problem.grid)) {
    std::int64_t const end = face.upper ? problem.grid.points[face.axis] - 1 : 0;
    if (point[face.axis] != end) continue;
    add_given(condition_at(problem, face, place[0], place[1], place[2]), place,
              problem.start_time_s, range);
  }
}

/// Adds the initial values, as far as the problem has them.
void add_initial(Problem const& problem, ValueRange& range) {
  for_each_sample(problem.grid, [&](Index3 point) {
    range.add(value_at(problem.initial.value, problem.grid, point));
  });
  for (InitialBox const& box : problem.initial.boxes) range.add(box.value);
  for (Gaussian const& bump : problem.initial.gaussians) {
    range.add(ValueRange{range.smallest + std::min(bump.height, 0.0),
                         range.largest + std::max(bump.height, 0.0)});
  }
}

}  // namespace

void for_each_sample(Grid const& grid, std::function<void(Index3)> const& visit) {
  Extent3 const n = grid.points;
  // An axis of few points has that many samples.
  auto const parts = [&](int axis) { return std::min<std::int64_t>(8, n[axis] - 1); };
  auto const place = [&](int axis, std::int64_t part) {
    return part == 0 ? 0 : (n[axis] - 1) * part / parts(axis);
  };
  for (std::int64_t k = 0; k <= parts(2); ++k) {
    for (std::int64_t j = 0; j <= parts(1); ++j) {
      for (std::int64_t i = 0; i <= parts(0); ++i) visit({place(0, i), place(1, j), place(2, k)});
    }
  }
}

ValueRange given_range(Problem const& problem) {
  ValueRange range;
  for_each_sample(problem.grid, [&](Index3 point) { add_given_at(problem, point, range); });
  for (FixedRegion const& region : problem.medium.fixed) {
    if (region.floating_flux) continue;
    for_each_sample(problem.grid, [&](Index3 point) {
      PerAxis<double> const at = place_of(problem.grid, point);
      bool const counts = region.value.is_constant() || region.where.contains(at[0], at[1], at[2]);
      if (!counts) return;
      range.add(region.value(at[0], at[1], at[2], problem.start_time_s));
      for (SurfaceExchange const& exchange : region.exchanges) {
        range.add(exchange.ambient(at[0], at[1], at[2], problem.start_time_s));
      }
    });
  }
  bool const is_empty = range.smallest > range.largest;
  // A field of zeros may be replaced by one from a file.
  bool const begins = problem.equation == Equation::diffusion && !is_constant(problem.initial, 0.0);
  if (is_empty || begins) add_initial(problem, range);
  return range;
}

std::optional<double> width_by_maximum_principle(Problem const& problem) {
  auto const brings_nothing = [](BoundaryCondition const& condition) {
    return condition.kind != BoundaryKind::neumann || condition.value.is_zero();
  };
  bool const applies =
      problem.equation != Equation::diffusion && problem.source.is_zero() &&
      problem.reaction.is_zero() && problem.sigma == 0.0 && has_given_values(problem) &&
      !has_floating_regions(problem) && std::ranges::all_of(problem.boundary, brings_nothing) &&
      std::ranges::all_of(problem.patches, [&](BoundaryPatch const& patch) {
        return brings_nothing(patch.condition) && patch.condition.value.is_constant();
      });
  if (!applies) return std::nullopt;
  ValueRange range = given_range(problem);
  // Samples may miss a small patch.
  for (BoundaryPatch const& patch : problem.patches) {
    add_given(patch.condition, {}, problem.start_time_s, range);
  }
  double const width = range.width();
  return width > 0.0 ? std::optional(width) : std::nullopt;
}

}  // namespace isotherm
