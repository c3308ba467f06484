#include "solver/nonlinear/reference_problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/point_name.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Calls visit(point) for up to 9 points along each axis, both ends included.
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

/// Returns a function without its dependence on the field, which has the value `u` everywhere.
ScalarFunction frozen_at(ScalarFunction const& function, double u) {
  if (!function.depends_on_u) return function;
  ScalarFunction frozen = function;
  frozen.depends_on_u = false;
  frozen.evaluate = [evaluate = function.evaluate, u](double x, double y, double z, double) {
    return evaluate(x, y, z, u);
  };
  return frozen;
}

/// Adds the values that a condition gives at a point.
void add_given(BoundaryCondition const& condition, PerAxis<double> const& place,
               ValueRange& range) {
  bool const gives =
      condition.kind == BoundaryKind::dirichlet || condition.kind == BoundaryKind::robin;
  if (!gives || condition.value.depends_on_u) return;
  double const value = condition.value(place[0], place[1], place[2], 0.0);
  if (std::isfinite(value)) range.add(value);
}

/// Adds the values that faces and regions give at a point.
void add_given_at(Problem const& problem, Index3 point, ValueRange& range) {
  PerAxis<double> const place = place_of(problem.grid, point);
  for (Face const face : faces(problem.grid)) {
    std::int64_t const end = face.upper ? problem.grid.points[face.axis] - 1 : 0;
    if (point[face.axis] != end) continue;
    add_given(condition_at(problem, face, place[0], place[1], place[2]), place, range);
  }
}

/// Replaces a Robin condition by insulation.
void insulate(BoundaryCondition& condition) {
  if (condition.kind != BoundaryKind::robin) return;
  condition = BoundaryCondition{};
  condition.kind = BoundaryKind::neumann;
}

/// Refuses a conductivity that is not positive for a value of the field.
void check_conductivity(Problem const& problem, int axis, Index3 point, double u) {
  ScalarFunction const& conductivity = problem.medium.conductivity[axis];
  if (!conductivity.depends_on_u) return;
  double const found = value_at(conductivity, problem.grid, point, 0.0, u);
  if (found > 0.0 && std::isfinite(found)) return;
  throw ValueRefusal({"equation.conductivity",
                      "the conductivity is " + shortest(found) + " at " +
                          point_name(problem.grid, point) + " where u = " + shortest(u) +
                          ", within the range of the given values (it must be a positive number)"});
}

/// Returns why a nonlinear problem cannot be solved, and the key of a case that is at fault; none
/// if it can be solved.
std::optional<ValueFault> obstacle_to_newton(Problem const& problem) {
  using Fault = ValueFault;
  if (problem.precision == Precision::float32) {
    return Fault{"grid.precision", R"(needs [grid] precision = "float64")"};
  }
  if (!has_given_values(problem)) {
    return Fault{"boundary", "is unique only up to a constant (give a face or a region a value)"};
  }
  if (has_films_on_surfaces(problem)) {
    return Fault{"convection", "cannot have [[convection]] in regions yet"};
  }
  if (has_floating_regions(problem)) return Fault{"fixed", "cannot have floating conductors yet"};
  bool const varies =
      std::ranges::any_of(problem.medium.conductivity, &ScalarFunction::depends_on_u);
  auto const is_derivative = [](BoundaryCondition const& of_face) {
    return of_face.kind == BoundaryKind::neumann && !of_face.is_flux && !of_face.value.is_zero();
  };
  for (Face const face : faces(problem.grid)) {
    if (has_rims(problem, face)) {
      return Fault{"boundary.patch",
                   "cannot have patches with values whose edges lie between points yet (set [grid] "
                   "shapes = \"points\")"};
    }
    bool const any = is_derivative(condition(problem, face)) ||
                     std::ranges::any_of(problem.patches, is_derivative, &BoundaryPatch::condition);
    if (varies && any) {
      return Fault{"boundary." + name(face),
                   "cannot have a derivative at a face (give the heat flux by type = \"flux\")"};
    }
  }
  return std::nullopt;
}

}  // namespace

ValueRange given_range(Problem const& problem) {
  ValueRange range;
  for_each_sample(problem.grid, [&](Index3 point) { add_given_at(problem, point, range); });
  for (FixedRegion const& region : problem.medium.fixed) {
    if (region.floating_flux) continue;
    for_each_sample(problem.grid, [&](Index3 point) {
      PerAxis<double> const at = place_of(problem.grid, point);
      bool const counts = region.value.is_constant() || region.where.contains(at[0], at[1], at[2]);
      if (counts) range.add(region.value(at[0], at[1], at[2], 0.0));
    });
  }
  if (range.smallest <= range.largest) return range;
  for_each_sample(problem.grid, [&](Index3 point) {
    range.add(value_at(problem.initial.value, problem.grid, point));
  });
  return range;
}

double reference_value(Problem const& problem) {
  ValueRange const range = given_range(problem);
  return 0.5 * range.smallest + 0.5 * range.largest;
}

Problem reference_problem(Problem const& problem) {
  double const u = reference_value(problem);
  Problem reference = problem;
  Medium& medium = reference.medium;
  // Kernels for constant coefficients do not apply, even if nothing but the source depends on u.
  medium.is_correction = true;
  medium.layer_search.reset();
  for (ScalarFunction& conductivity : medium.conductivity)
    conductivity = frozen_at(conductivity, u);
  if (medium.layers) {
    auto layers = std::make_shared<std::vector<MediumLayer>>(*medium.layers);
    for (MediumLayer& layer : *layers) {
      for (ScalarFunction& value : layer.values) value = frozen_at(value, u);
    }
    medium.layers = std::move(layers);
  }
  reference.source = 0.0;
  reference.source_terms.clear();
  reference.reaction = 0.0;
  for (Face const face : faces(problem.grid)) {
    BoundaryCondition& condition = reference.boundary[face];
    insulate(condition);
    if (condition.kind == BoundaryKind::neumann) condition.value = 0.0;
  }
  for (BoundaryPatch& patch : reference.patches) {
    insulate(patch.condition);
    if (patch.condition.kind == BoundaryKind::neumann) patch.condition.value = 0.0;
  }
  if (is_constant(problem.initial, 0.0)) reference.initial.value = u;
  return reference;
}

void check_nonlinear(Problem const& problem) {
  if (auto const obstacle = obstacle_to_newton(problem)) {
    throw ValueRefusal(
        {obstacle->key, "a problem with a coefficient that depends on u " + obstacle->text});
  }
  ValueRange const range = given_range(problem);
  double const middle = 0.5 * range.smallest + 0.5 * range.largest;
  for_each_sample(problem.grid, [&](Index3 point) {
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      for (double const u : {range.smallest, middle, range.largest}) {
        check_conductivity(problem, axis, point, u);
      }
    }
  });
}

}  // namespace isotherm
