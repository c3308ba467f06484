#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Surfaces inside the box that radiate, and whose coefficients of heat transfer depend on the
// solution or on the time ([[radiation]] and [[convection]] in regions).

namespace isotherm::test {
namespace {

using enum BoundaryKind;
constexpr double pi = std::numbers::pi;
constexpr double factor = 0.8 * 5.670374419e-8;  // ε σ

using RadiatingSurfaces = SteppingTest;

SurfaceExchange radiation_to(ScalarFunction ambient) {
  SurfaceExchange exchange{std::move(ambient)};
  exchange.radiation_factor = factor;
  return exchange;
}

SurfaceExchange convection_to(ScalarFunction ambient, ScalarFunction coefficient) {
  return {std::move(ambient), std::move(coefficient)};
}

/// A region that is cut out, on whose surface exchanges act.
FixedRegion region_with(Region where, std::vector<SurfaceExchange> exchanges) {
  FixedRegion region{std::move(where), exchanges.at(0).ambient};
  region.film_coefficient = 10.0;
  region.is_excluded = true;
  region.exchanges = std::move(exchanges);
  return region;
}

void set_conductivity(Problem& problem, double conductivity) {
  make_isotropic(problem, conductivity);
  ScalarFunction const value = conductivity;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, {value, value, value}}});
}

/// Returns the root of a function that rises between two values.
double root(double low, double high, std::function<double(double)> const& function) {
  for (int n = 0; n < 100; ++n) {
    double const middle = 0.5 * (low + high);
    (function(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double radiated(double here, double there) {
  return factor * (std::pow(here, 4) - std::pow(there, 4));
}

/// A wall of the thickness 1 − at whose outer face has 1500 K. What its inner surface gives off is
/// exact at any place of the surface between points.
TEST_F(RadiatingSurfaces, WallHasTheTemperatureOfAQuarticEquation) {
  double const conductivity = 30.0, hot = 1500.0;
  for (double const at : {0.3, 0.318, 0.33, 0.4127}) {
    Problem problem = plates(2, {41, 4, 1}, 0);
    problem.boundary[{0, false}] = {neumann, 0.0};
    problem.boundary[{0, true}].value = hot;
    set_conductivity(problem, conductivity);
    problem.initial.value = 300.0;
    // Radiation alone, then with convection whose coefficient depends on the surface.
    for (bool const convects : {false, true}) {
      auto const convected = [](double s) { return 2.0 * std::cbrt(s - 290.0) * (s - 290.0); };
      std::vector<SurfaceExchange> exchanges{radiation_to(400.0)};
      if (convects) {
        exchanges.push_back(
            convection_to(290.0, of_field([](double s) { return 2.0 * std::cbrt(s - 290.0); })));
      }
      problem.medium.fixed = {region_with(box_region({-1, -1, -1}, {at, 2, 2}), exchanges)};
      auto const solver = solved(problem, cycles(1e-11));
      EXPECT_TRUE(solver->converged());
      double const surface = root(400.0, hot, [&](double s) {
        double const others = convects ? convected(s) : 0.0;
        return radiated(s, 400.0) + others - conductivity * (hot - s) / (1.0 - at);
      });
      double const by_radiation = radiated(surface, 400.0);
      double const heat = by_radiation + (convects ? convected(surface) : 0.0);
      HeatFlows const flows = flows_of(*solver, problem);
      EXPECT_NEAR(flows.faces[(Face{0, true})] / heat, 1.0, 1e-8) << at;
      EXPECT_NEAR(-flows.fixed[0] / heat, 1.0, 1e-8) << at;
      EXPECT_NEAR(-flows.radiation[0] / by_radiation, 1.0, 1e-8) << at;
    }
  }
}

/// A point deep in the fluid, behind the surface of a poor conductor. Its film would be
/// negative without a bound. The parts of the heat add up, and have the right magnitude.
TEST_F(RadiatingSurfaces, PartsOfTheHeatAgreeIfThePointLiesFarInTheFluid) {
  double const conductivity = 0.1, cold = 300.0, h = 50.0;
  for (double const at : {0.0301, 0.032, 0.0335, 0.0349}) {
    Problem problem = plates(2, {21, 3, 1}, 0, {0.1, 1, 1});
    problem.boundary[{0, false}] = {neumann, 0.0};
    problem.boundary[{0, true}].value = cold;
    set_conductivity(problem, conductivity);
    problem.initial.value = cold;
    problem.medium.fixed = {region_with(box_region({-1, -1, -1}, {at, 2, 2}),
                                        {radiation_to(1300.0), convection_to(900.0, h)})};
    auto const solver = solved(problem, cycles(1e-11));
    EXPECT_TRUE(solver->converged());
    double const surface = root(cold, 1300.0, [&](double s) {
      return conductivity * (s - cold) / (0.1 - at) + h * (s - 900.0) + radiated(s, 1300.0);
    });
    HeatFlows const flows = flows_of(*solver, problem);
    double const by_radiation = -radiated(surface, 1300.0), convected = h * (900.0 - surface);
    EXPECT_NEAR(flows.radiation[0] / by_radiation, 1.0, 1e-8) << at;
    EXPECT_NEAR((flows.fixed[0] - flows.radiation[0]) / convected, 1.0, 1e-8) << at;
    EXPECT_NEAR(flows.fixed[0] / (by_radiation + convected), 1.0, 1e-8) << at;
  }
}

/// A quarter of a hollow cylinder of the inner radius a, which radiates inwards. The field on the
/// outer faces is the exact one.
struct Cylinder {
  double a;
  static constexpr double conductivity = 20.0, ambient = 300.0, outer = 1200.0;

  [[nodiscard]] double at_surface() const {
    return root(ambient, outer, [&](double s) {
      return radiated(s, ambient) - conductivity * (outer - s) / (a * std::log(1.0 / a));
    });
  }
  [[nodiscard]] double exact(double r) const {
    double const s = at_surface();
    return s + (outer - s) * std::log(std::max(r, a) / a) / std::log(1.0 / a);
  }
  [[nodiscard]] double heat() const { return 0.5 * pi * a * radiated(at_surface(), ambient); }

  [[nodiscard]] Problem problem(int n) const {
    Problem problem = box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {neumann, 0.0});
    for (Face const face : {Face{0, true}, Face{1, true}}) {
      problem.boundary[face] = {dirichlet, steady([*this](double x, double y, double) {
                                  return exact(std::hypot(x, y));
                                })};
    }
    set_conductivity(problem, conductivity);
    problem.medium.fixed.push_back(
        region_with(solid_region(make_ball(2, {0, 0, 0}, a)), {radiation_to(ambient)}));
    problem.initial.value = outer;
    return problem;
  }
};

struct Errors {
  double of_heat, of_field;
};

Errors errors_of(Cylinder const& cylinder, int n) {
  Problem const problem = cylinder.problem(n);
  auto const solver = solved(problem, cycles(1e-10));
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LE(std::abs(flows.balance), 1e-7 * cylinder.heat());
  double error = 0.0;
  std::vector<double> const u = field_of<double>(*solver);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const x = problem.grid.coordinate(0, p.x), y = problem.grid.coordinate(1, p.y);
    double const r = std::hypot(x, y);
    if (r > cylinder.a) error = std::max(error, std::abs(u[number] - cylinder.exact(r)));
  });
  return {std::abs(-flows.fixed[0] / cylinder.heat() - 1.0),
          mpi::Communicator(MPI_COMM_WORLD).max(error)};
}

/// The radius 0.25 touches lines of the grid at points.
TEST_F(RadiatingSurfaces, HollowCylinderConvergesToTheRootOfAQuarticEquation) {
  for (double const a : {0.2713, 0.25}) {
    Errors const coarse = errors_of({a}, 24), fine = errors_of({a}, 72);
    EXPECT_LT(coarse.of_heat, 1e-3) << a;
    EXPECT_LT(fine.of_heat, 1e-4) << a;
    EXPECT_LT(coarse.of_field, 10.0) << a;
    EXPECT_LT(fine.of_field, 0.2 * coarse.of_field) << a;
  }
}

/// A coefficient that only seems to depend on the solution gives the field of a linear film, also
/// on surfaces that touch lines of the grid, and on fluids that are thinner than a spacing.
TEST_F(RadiatingSurfaces, ConstantCoefficientsGiveTheFieldOfLinearFilms) {
  std::vector<Region> const regions{
      solid_region(make_ball(2, {0.613, 0.487, 0}, 0.2271)),
      solid_region(make_ball(2, {0.5, 0.5, 0}, 0.25)), box_region({0.44, -1, -1}, {0.46, 0.52, 2}),
      box_region({0.46, 0.2, -1}, {0.49, 0.8, 2}), box_region({0.44, -1, -1}, {0.46, 2, 2})};
  for (char const* const name : {"multigrid", "backward_euler"}) {
    bool const in_time = name != std::string("multigrid");
    for (std::size_t i = 0; i < regions.size(); ++i) {
      auto const problem = [&](bool of_u) {
        Problem result = box_problem(in_time ? Equation::diffusion : Equation::poisson, 2,
                                     {21, 17, 1}, {neumann, 0.0});
        result.boundary[{0, false}] = {dirichlet, 5.0};
        result.boundary[{1, true}] = {dirichlet, 1.0};
        result.source = 3.0;
        set_conductivity(result, 1.5);
        FixedRegion fluid =
            region_with(regions[i], {convection_to(2.0, of_field([](double) { return 4.0; }))});
        fluid.film_coefficient = 4.0;
        if (!of_u) fluid.exchanges.clear();
        result.medium.fixed.push_back(fluid);
        result.initial.value = 1.0;
        return result;
      };
      MethodSettings method = cycles(in_time ? 0.0 : 1e-12);
      method.name = name;
      if (in_time) {
        method.iterations = 2;
        method.time_step_s = 0.03;
        method.step_tolerance = 1e-12;
      }
      auto const linear = solved(problem(false), method);
      auto const nonlinear = solved(problem(true), method);
      EXPECT_LE(difference<double>(*linear, *nonlinear), 1e-8) << name << ", region " << i;
      HeatFlows const a = flows_of(*linear, problem(false));
      HeatFlows const b = flows_of(*nonlinear, problem(true));
      EXPECT_NEAR(a.fixed[0], b.fixed[0], 1e-7) << name << ", region " << i;
      EXPECT_EQ(b.radiation[0], 0.0);
      if (in_time) continue;
      EXPECT_NEAR(b.balance, 0.0, 1e-7);
    }
  }
}

/// A body that conducts well, half of whose box is cut out, radiates to empty space and loses heat
/// to air: T' = −(ε σ T⁴ + h(t) T) / (c L). Without the air, T = T₀ (1 + 3 k T₀³ t)^(−1/3).
TEST_F(RadiatingSurfaces, BodyCoolsAsAnOrdinaryDifferentialEquation) {
  double const capacity = 3.4e6, length = 1e-3, start = 1200.0, end = 60.0;
  auto const coefficient = [](double t) { return 20.0 + 10.0 * std::sin(0.1 * t); };
  for (bool const convects : {false, true}) {
    Problem problem =
        box_problem(Equation::diffusion, 2, {11, 3, 1}, {neumann, 0.0}, {2.0 * length, 1e-3, 1});
    set_conductivity(problem, 4e4);
    problem.medium.capacity = capacity;
    problem.initial.value = start;
    std::vector<SurfaceExchange> exchanges{radiation_to(0.0)};
    if (convects) {
      exchanges.push_back(convection_to(
          0.0, varying([=](double, double, double, double t) { return coefficient(t); })));
    }
    problem.medium.fixed = {region_with(box_region({length, -1, -1}, {1, 1, 1}), exchanges)};
    // The volume of the point on the surface is cut in half.
    problem.medium.capacity = steady([=](double x, double, double) {
      return capacity * (x > 0.95 * length && x < 1.05 * length ? 0.5 : 1.0);
    });
    MethodSettings method = cycles(0.0);
    method.name = "crank_nicolson";
    method.iterations = 60;
    method.time_step_s = end / 60.0;
    method.step_tolerance = 1e-12;
    auto const solver = after(problem, method);
    double wanted = start;
    constexpr int steps = 6000;  // of Runge and Kutta
    auto const rate = [&](double temperature, double t) {
      double const convected = convects ? coefficient(t) * temperature : 0.0;
      return -(radiated(temperature, 0.0) + convected) / (capacity * length);
    };
    for (int n = 0; n < steps; ++n) {
      double const dt = end / steps, t = n * dt;
      double const middle = wanted + 0.5 * dt * rate(wanted, t);
      wanted += dt * rate(middle, t + 0.5 * dt);
    }
    if (!convects) {
      double const k = 3.0 * factor / (capacity * length) * std::pow(start, 3);
      EXPECT_NEAR(wanted / (start * std::pow(1.0 + k * end, -1.0 / 3.0)), 1.0, 1e-8);
    }
    double error = 0.0;
    std::vector<double> const u = field_of<double>(*solver);
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
      if (p.x <= 5) error = std::max(error, std::abs(u[number] - wanted));
    });
    EXPECT_LE(ranks_.max(error), 2e-4 * wanted);
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(-flows.radiation[0] / (1e-3 * radiated(wanted, 0.0)), 1.0, 1e-3);
    double const convected = convects ? coefficient(end) * wanted : 0.0;
    EXPECT_NEAR((flows.radiation[0] - flows.fixed[0]) / 1e-3, convected, 1e-3 * convected + 1e-9);
  }
}

/// In each step of backward Euler, the heat that is stored is what flows in at its end.
TEST_F(RadiatingSurfaces, StoredHeatIsWhatFlowsIn) {
  Problem problem =
      box_problem(Equation::diffusion, 2, {17, 13, 1}, {neumann, 0.0}, {0.1, 0.08, 1});
  problem.boundary[{0, false}] = {dirichlet, 900.0};
  set_conductivity(problem, 25.0);
  problem.initial.value = 500.0;
  auto const ambient = varying([](double, double, double, double t) { return 300.0 + 2.0 * t; });
  problem.medium.fixed = {
      region_with(solid_region(make_ball(2, {0.06, 0.04, 0}, 0.0213)),
                  {radiation_to(ambient),
                   convection_to(350.0, of_field([](double s) { return 5.0 + 0.01 * s; }))})};
  MethodSettings method = cycles(0.0);
  method.name = "backward_euler";
  method.iterations = 4;
  method.time_step_s = 1e-4;
  method.step_tolerance = 1e-12;
  auto const solver = made(problem, method);
  EnergyMeter<double> meter(ranks_, solver->queue(), solver->subdomain(), problem);
  auto const heat = [&] {
    return meter.heat(std::get<FieldView<double const>>(solver->field_view()));
  };
  double before = heat();
  for (int step = 1; step <= 4; ++step) {
    solver->advance_to(step);
    double const after = heat();
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR((after - before) / (method.time_step_s * flows.balance), 1.0, 1e-8) << step;
    EXPECT_LT(flows.radiation[0], 0.0);
    EXPECT_LT(flows.fixed[0], flows.radiation[0]);
    before = after;
  }
}

/// A hole alone holds the field of a closed box with a source. The iteration may start from
/// absolute zero.
TEST_F(RadiatingSurfaces, HoleRadiatesTheHeatOfASourceFromAnyStart) {
  Problem problem = box_problem(Equation::poisson, 2, {21, 21, 1}, {neumann, 0.0});
  set_conductivity(problem, 4e4);
  double const radius = 0.2618, power = 4e3;  // W/m³
  Region const hole = solid_region(make_ball(2, {0.5, 0.5, 0}, radius));
  problem.medium.fixed = {region_with(hole, {radiation_to(0.0)})};
  problem.source = steady([=](double x, double y, double) {
    return x < 0.2 || x > 0.8 || y < 0.2 || y > 0.8 ? power : 0.0;
  });
  for (double const start : {0.0, 1e-3, 300.0, 3000.0}) {
    problem.initial.value = start;
    auto const solver = solved(problem, cycles(1e-10));
    EXPECT_TRUE(solver->converged()) << start;
    HeatFlows const flows = flows_of(*solver, problem);
    double const wanted = std::pow(flows.source / (2.0 * pi * radius * factor), 0.25);
    EXPECT_NEAR(-flows.radiation[0] / flows.source, 1.0, 1e-7);
    double error = 0.0;
    std::vector<double> const u = field_of<double>(*solver);
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
      double const x = problem.grid.coordinate(0, p.x), y = problem.grid.coordinate(1, p.y);
      bool const is_outside = std::hypot(x - 0.5, y - 0.5) > radius;
      if (is_outside) error = std::max(error, std::abs(u[number] - wanted));
    });
    EXPECT_LE(ranks_.max(error), 2e-3 * wanted) << start;
  }
}

TEST_F(RadiatingSurfaces, RefusesWhatItCannotSolve) {
  Problem problem = plates(2, {11, 5, 1}, 0);
  set_conductivity(problem, 1.0);
  problem.boundary[{0, false}].value = 100.0;
  problem.boundary[{0, true}].value = 200.0;
  Region const hole = solid_region(make_ball(2, {0.5, 0.5, 0}, 0.2));
  problem.medium.fixed = {
      region_with(hole, {convection_to(20.0, of_field([](double) { return -1.0; }))})};
  EXPECT_THROW((void)solved(problem, cycles()), std::exception);
  problem.medium.fixed = {region_with(hole, {radiation_to(20.0)})};
  problem.boundary[{0, true}].value = -10.0;
  EXPECT_THROW((void)solved(problem, cycles()), InputError);
  MethodSettings jacobi_method = jacobi(4);
  EXPECT_THROW((void)solved(problem, jacobi_method), InputError);
}

}  // namespace
}  // namespace isotherm::test
