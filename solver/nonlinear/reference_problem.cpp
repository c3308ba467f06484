#include "solver/nonlinear/reference_problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/point_name.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns a function for one time and a field with the value `u` everywhere.
ScalarFunction frozen_at(ScalarFunction const& function, double time_s, double u) {
  if (!function.depends_on_u_or_t()) return function;
  ScalarFunction frozen = function;
  frozen.depends_on_u = frozen.varies_in_time = false;
  frozen.evaluate_of_both = {};
  frozen.evaluate = [function, time_s, u](double x, double y, double z, double) {
    return function.at(x, y, z, time_s, u);
  };
  return frozen;
}

/// Replaces a Robin condition by insulation.
void insulate(BoundaryCondition& condition) {
  if (condition.kind != BoundaryKind::robin) return;
  condition = BoundaryCondition{};
  condition.kind = BoundaryKind::neumann;
}

/// Returns the fault of a coefficient that is not positive for a value of the field.
/// @param what  "conductivity" or "capacity"
std::optional<ValueFault> fault_of(Problem const& problem, ScalarFunction const& coefficient,
                                   std::string const& what, Index3 point, double u) {
  if (!coefficient.depends_on_u) return std::nullopt;
  double const found = value_at(coefficient, problem.grid, point, problem.start_time_s, u);
  if (found > 0.0 && std::isfinite(found)) return std::nullopt;
  return ValueFault{"equation." + what, "the " + what + " is " + six_digits(found) + " at " +
                                            point_name(problem.grid, point) +
                                            " where u = " + six_digits(u)};
}

/// Refuses a coefficient of convection on a surface inside that is negative or not a number for a
/// given value of the field.
void check_exchanges(Problem const& problem, ValueRange const& range, double middle) {
  auto const check = [&](FixedRegion const& region, SurfaceExchange const& exchange, Index3 point) {
    for (double const u : {range.smallest, middle, range.largest}) {
      double const found =
          value_at(exchange.coefficient, problem.grid, point, problem.start_time_s, u);
      if (found >= 0.0 && std::isfinite(found)) continue;
      throw ValueRefusal({"convection." + region.name + ".h",
                          "the heat transfer coefficient of a surface is " + six_digits(found) +
                              " where u = " + six_digits(u) +
                              ", within the range of the given values (it must be 0 or more)"});
    }
  };
  for (FixedRegion const& region : problem.medium.fixed) {
    for (SurfaceExchange const& exchange : region.exchanges) {
      if (!exchange.coefficient.depends_on_u || exchange.radiates()) continue;
      for_each_sample(problem.grid, [&](Index3 point) {
        auto const [x, y, z] = coordinates(problem.grid, point);
        if (region.where.contains(x, y, z)) check(region, exchange, point);
      });
    }
  }
}

/// Returns why a nonlinear problem cannot be solved, and the key of a case that is at fault; none
/// if it can be solved.
std::optional<ValueFault> obstacle_to_newton(Problem const& problem) {
  using Fault = ValueFault;
  if (problem.precision == Precision::float32) {
    return Fault{"grid.precision", R"(needs [grid] precision = "float64")"};
  }
  if (problem.equation != Equation::diffusion && !has_given_values(problem)) {
    return Fault{"boundary", "is unique only up to a constant (give a face or a region a value)"};
  }
  if (has_floating_regions(problem)) return Fault{"fixed", "cannot have floating conductors yet"};
  bool const varies = has_varying_conductivity(problem);
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

/// Refuses given values below the absolute zero of faces and surfaces that radiate.
void check_absolute_zero(Problem const& problem, ValueRange const& range) {
  auto const check = [&](std::optional<double> const& zero, std::string const& key) {
    if (!zero || range.smallest >= *zero) return;
    throw ValueRefusal({key, "a given value is " + shortest(range.smallest) +
                                 ", below absolute_zero = " + shortest(*zero)});
  };
  for (Face const face : faces(problem.grid)) {
    check(problem.boundary[face].absolute_zero, "boundary." + name(face));
  }
  for (BoundaryPatch const& patch : problem.patches)
    check(patch.condition.absolute_zero, "boundary.patch");
  for (FixedRegion const& region : problem.medium.fixed) {
    for (SurfaceExchange const& exchange : region.exchanges) {
      if (!exchange.radiates()) continue;
      check(exchange.absolute_zero, "radiation." + region.name + ".absolute_zero");
    }
  }
}

}  // namespace

double reference_value(Problem const& problem) {
  ValueRange const range = given_range(problem);
  return 0.5 * range.smallest + 0.5 * range.largest;
}

Problem reference_problem(Problem const& problem) {
  double const u = reference_value(problem);
  Problem reference = problem;
  Medium& medium = reference.medium;
  // Kernels for constant coefficients do not apply, even if nothing but the source depends on u.
  double const start_s = problem.start_time_s;
  medium.is_correction = true;
  medium.layer_search.reset();
  for (ScalarFunction& conductivity : medium.conductivity)
    conductivity = frozen_at(conductivity, start_s, u);
  medium.capacity = frozen_at(medium.capacity, start_s, u);
  if (medium.layers) {
    auto layers = std::make_shared<std::vector<MediumLayer>>(*medium.layers);
    for (MediumLayer& layer : *layers) {
      for (ScalarFunction& value : layer.values) value = frozen_at(value, start_s, u);
    }
    medium.layers = std::move(layers);
  }
  for (FixedRegion& region : medium.fixed) {
    if (region.exchanges.empty()) continue;
    region.exchanges = {SurfaceExchange{region.value, *region.film_coefficient}};
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
  bool const is_steady = problem.equation != Equation::diffusion;
  if (is_steady && is_constant(problem.initial, 0.0)) reference.initial.value = u;
  return reference;
}

std::optional<ValueFault> invalid_coefficient(Problem const& problem, Index3 point, double u) {
  Medium const& medium = problem.medium;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (auto fault = fault_of(problem, medium.conductivity[axis], "conductivity", point, u)) {
      return fault;
    }
  }
  return fault_of(problem, medium.capacity, "capacity", point, u);
}

void check_nonlinear(Problem const& problem) {
  if (auto const obstacle = obstacle_to_newton(problem)) {
    std::string const cause = coefficients_vary_in_time(problem) ? "t " : "u ";
    throw ValueRefusal(
        {obstacle->key, "a problem with a coefficient that depends on " + cause + obstacle->text});
  }
  ValueRange const range = given_range(problem);
  check_absolute_zero(problem, range);
  double const middle = 0.5 * range.smallest + 0.5 * range.largest;
  for_each_sample(problem.grid, [&](Index3 point) {
    for (double const u : {range.smallest, middle, range.largest}) {
      if (auto fault = invalid_coefficient(problem, point, u)) {
        fault->text += ", within the range of the given values (it must be a positive number)";
        throw ValueRefusal(*fault);
      }
    }
  });
  check_exchanges(problem, range, middle);
}

}  // namespace isotherm
