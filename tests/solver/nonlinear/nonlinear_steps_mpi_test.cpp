#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "solver/discretise/flux/heat_content.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// Implicit time steps with coefficients that depend on the solution: transforms of Kirchhoff,
// ordinary differential equations, Stefan's problem, and the conservation of heat.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

constexpr double pi = std::numbers::pi;

class NonlinearSteps : public SteppingTest {
 protected:
  double heat_of(Solver& solver, Problem const& problem) {
    EnergyMeter<double> meter(ranks_, solver.queue(), solver.subdomain(), problem);
    return meter.heat(std::get<FieldView<double const>>(solver.field_view()));
  }
};

MethodSettings implicit(std::string const& name, std::int64_t steps, double time_step_s,
                        double step_tolerance = 1e-12) {
  MethodSettings method = ftcs(steps, time_step_s);
  method.name = name;
  method.check_every = 0;
  method.step_tolerance = step_tolerance;
  return method;
}

/// A problem that varies along x only, with insulated ends.
Problem along_x(std::int64_t points, double length = 1.0) {
  return box_problem(Equation::diffusion, 2, {points, 5, 1}, {neumann, 0.0}, {length, 0.5, 1});
}

/// Returns u for Θ = u + u²/2.
double inverse_kirchhoff(double theta) { return -1.0 + std::sqrt(1.0 + 2.0 * theta); }

/// κ = c = 1 + u: Θ = u + u²/2 obeys the linear equation Θ_t = ∇²Θ, also after discretisation,
/// whose waves are known.
TEST_F(NonlinearSteps, KirchhoffsTransformObeysTheLinearEquation) {
  std::int64_t const points = 17, steps = 6;
  double const h = 1.0 / 16.0, dt = 0.02;
  double const eigenvalue = 4.0 / (h * h) * std::pow(std::sin(0.5 * pi * h), 2);
  double const half = 0.5 * dt * eigenvalue;
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    Problem problem = along_x(points);
    set_axis(problem, 0, {dirichlet, inverse_kirchhoff(1.5)});
    make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
    problem.medium.capacity = of_field([](double u) { return 1.0 + u; });
    problem.initial.value =
        steady([](double x, double, double) { return inverse_kirchhoff(1.5 + std::sin(pi * x)); });
    auto const solver = after(problem, implicit(name, steps, dt));
    double const amplitude =
        name == "backward_euler"
            ? std::pow(1.0 + dt * eigenvalue, -steps)
            : std::pow(1.0 + half, -2.0) * std::pow((1.0 - half) / (1.0 + half), steps - 1);
    EXPECT_LE(error_of(*solver,
                       [&](double x, double, double) {
                         return inverse_kirchhoff(1.5 + amplitude * std::sin(pi * x));
                       }),
              1e-10)
        << name;
    EXPECT_GT(solver->inner_iterations(), 0);
  }
}

/// Θ = 1 + exp(−t) cos(x) with values that vary in time at the ends: Crank–Nicolson is of second
/// order, backward Euler of first order.
TEST_F(NonlinearSteps, OrdersOfConvergenceWithVaryingValues) {
  auto const exact = [](double x, double t) {
    return inverse_kirchhoff(1.0 + std::exp(-t) * std::cos(x));
  };
  Problem problem = along_x(65);
  set_axis(problem, 0,
           {dirichlet, varying([&](double x, double, double, double t) { return exact(x, t); })});
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  problem.medium.capacity = of_field([](double u) { return 1.0 + u; });
  problem.initial.value = steady([&](double x, double, double) { return exact(x, 0.0); });
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    std::vector<double> errors;
    for (std::int64_t const steps : {4, 8}) {
      auto const solver = after(problem, implicit(name, steps, 1.0 / static_cast<double>(steps)));
      errors.push_back(error_of(*solver, [&](double x, double, double) { return exact(x, 1.0); }));
    }
    double const order = std::log2(errors[0] / errors[1]);
    EXPECT_GT(order, name == "backward_euler" ? 0.85 : 1.8) << name << ' ' << errors[1];
    EXPECT_LE(errors[1], name == "backward_euler" ? 5e-3 : 5e-5);
  }
}

/// u' = −u³ in an insulated body: u = 1 / √(1 + 2 t).
TEST_F(NonlinearSteps, SinkOfALumpedBodyHasTheOrdersOfTheMethods) {
  Problem problem = along_x(5);
  problem.initial.value = 1.0;
  problem.source = of_field([](double u) { return -u * u * u; });
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    std::vector<double> errors;
    for (std::int64_t const steps : {20, 40}) {
      auto const solver = after(problem, implicit(name, steps, 2.0 / static_cast<double>(steps)));
      errors.push_back(error_of(
          *solver, [](double, double, double) { return 1.0 / std::sqrt(1.0 + 2.0 * 2.0); }));
    }
    double const order = name == "backward_euler" ? 1.0 : 2.0;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.2) << name << ' ' << errors[1];
    EXPECT_LE(errors[1], order == 1.0 ? 1e-2 : 2e-4);
  }
}

/// A thin plate of copper radiates to empty space: T' = −ε σ T⁴ / (c L).
TEST_F(NonlinearSteps, ThinPlateRadiates) {
  double const factor = 0.8 * 5.670374419e-8, capacity = 3.4e6, length = 1e-3, start = 1200.0;
  Problem problem = along_x(5, length);
  make_isotropic(problem, 400.0);
  problem.medium.capacity = capacity;
  problem.initial.value = start;
  BoundaryCondition& radiation = problem.boundary[{0, true}];
  radiation = {robin, 0.0};
  radiation.absolute_zero = 0.0;
  radiation.coefficient = of_field([=](double u) { return factor * u * u * u; });
  auto const solver = after(problem, implicit("crank_nicolson", 100, 1.0));
  double const rate = 3.0 * factor / (capacity * length) * std::pow(start, 3);
  double const wanted = start * std::pow(1.0 + rate * 100.0, -1.0 / 3.0);
  EXPECT_LT(wanted, 900.0);
  EXPECT_LE(error_of(*solver, [&](double, double, double) { return wanted; }), 2e-4 * wanted);
}

/// The capacity of a material that melts between −`width` and 0, with a latent heat.
ScalarFunction melting(double latent_heat, double width) {
  ScalarFunction capacity = of_field(
      [=](double u) { return 1.0 + (u >= -width && u < 0.0 ? latent_heat / width : 0.0); });
  capacity.breaks_in_u = {-width, 0.0};
  return capacity;
}

/// Water at its freezing point, and a wall of −10: the front of the ice is at 2 λ √t with
/// λ exp(λ²) erf(λ) = St / √π (F. Neumann). The steps are as long as the front needs for a gap and
/// more.
TEST_F(NonlinearSteps, FreezingFrontMatchesNeumannsSolution) {
  double const latent_heat = 20.0, cold = -10.0, width = 0.1, end = 0.25;
  double low = 0.0, high = 2.0;
  for (int n = 0; n < 60; ++n) {
    double const middle = 0.5 * (low + high);
    bool const too_large =
        middle * std::exp(middle * middle) * std::erf(middle) > -cold / latent_heat / std::sqrt(pi);
    (too_large ? high : low) = middle;
  }
  double const front = 2.0 * low * std::sqrt(end);
  Problem problem = along_x(101);
  problem.boundary[{0, false}] = {dirichlet, cold};
  problem.medium.capacity = melting(latent_heat, width);
  auto const solver = after(problem, implicit("backward_euler", 50, end / 50.0, 1e-6));
  // The frozen part of the volume.
  double frozen = 0.0;
  std::vector<double> const u = field_of<double>(*solver);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
    frozen += std::clamp(-u[n] / width, 0.0, 1.0) * volume(problem.grid, {}, p);
  });
  EXPECT_NEAR(ranks_.sum(frozen) / 0.5 / front, 1.0, 0.02);
}

/// Heat that nothing enters is conserved to rounding, whatever the coefficients and the steps.
TEST_F(NonlinearSteps, InsulatedBoxConservesHeat) {
  Problem problem = box_problem(Equation::diffusion, 3, {6, 5, 4}, {neumann, 0.0});
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  problem.medium.capacity = of_field([](double u) { return 2.0 + std::sin(3.0 * u); });
  problem.initial.value =
      steady([](double x, double y, double z) { return 2.0 + std::cos(5 * x) + x * y - z; });
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    for (double const step_s : {1e-3, 10.0}) {
      if (is_sanitized && step_s < 1.0) continue;
      auto const solver = made(problem, implicit(name, 3, step_s, 1e-14));
      double const before = heat_of(*solver, problem);
      solver->advance_to(3);
      EXPECT_NEAR(heat_of(*solver, problem) / before, 1.0, 1e-12) << name << ' ' << step_s;
    }
  }
}

/// In each step of backward Euler, the heat that is stored is what flows in at its end.
TEST_F(NonlinearSteps, StoredHeatIsWhatFlowsIn) {
  Problem problem = along_x(17);
  make_isotropic(problem, of_field([](double u) { return 1.0 + 0.1 * u * u; }));
  problem.medium.capacity = melting(3.0, 0.2);
  problem.initial.value = -1.0;
  problem.source = of_field([](double u) { return 2.0 - 0.3 * u; });
  problem.boundary[{0, false}] = {neumann, 4.0};
  problem.boundary[{0, false}].is_flux = true;
  problem.boundary[{0, true}] = {robin, -2.0};
  problem.boundary[{0, true}].coefficient = of_field([](double u) { return 1.0 + 0.2 * u * u; });
  double const step_s = 0.05;
  auto const solver = made(problem, implicit("backward_euler", 20, step_s, 1e-12));
  double before = heat_of(*solver, problem);
  for (int step = 1; step <= 20; ++step) {
    solver->advance_to(step);
    double const after = heat_of(*solver, problem);
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(after - before, step_s * flows.balance, 1e-10 * step_s * flows.in) << step;
    before = after;
  }
}

/// A resumed run has the same bits, from any step.
TEST_F(NonlinearSteps, ResumesWithTheSameBits) {
  Problem problem = along_x(33);
  set_axis(problem, 0, {dirichlet, 1.0});
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  problem.medium.capacity = of_field([](double u) { return 1.0 + u * u; });
  problem.source = of_field([](double u) { return -u * u; });
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    MethodSettings method = implicit(name, 6, 0.01, 1e-6);
    method.check_every = 1;
    auto const whole = made(problem, method);
    whole->advance_to(2);
    SolverState const state = whole->state();
    std::vector<double> const field = field_of<double>(*whole);
    whole->advance_to(6);
    auto const resumed = made(problem, method);
    resumed->restore(std::span(field), state);
    resumed->advance_to(6);
    EXPECT_EQ(field_of<double>(*whole), field_of<double>(*resumed)) << name;
  }
}

/// A tolerance ends a run at the steady state, that of the steady solver.
TEST_F(NonlinearSteps, EndsAtTheSteadyState) {
  Problem problem = along_x(17);
  problem.boundary[{0, false}] = {dirichlet, 0.0};
  problem.boundary[{0, true}] = {dirichlet, 1.0};
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  MethodSettings method = implicit("backward_euler", 200, 0.2, 1e-8);
  method.check_every = 1;
  method.tolerance = 1e-8;
  auto const solver = after(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_LT(solver->iteration(), 40);
  EXPECT_LE(
      error_of(*solver, [](double x, double, double) { return -1.0 + std::sqrt(1.0 + 3.0 * x); }),
      1e-7);
}

/// Long Crank–Nicolson steps hardly damp short waves, whose sign alternates. When rounding cancels
/// the damping, two fields follow each other for ever, and the run ends.
TEST_F(NonlinearSteps, CrankNicolsonEndsWhenOnlyRoundingIsLeft) {
  Problem problem =
      box_problem(Equation::diffusion, 2, {17, 3, 1}, {neumann, 0.0}, {1.0, 0.125, 1});
  problem.boundary[{0, false}] = {dirichlet, 1.0};
  problem.boundary[{0, true}] = {dirichlet, 2.0};
  make_isotropic(problem, of_field([](double u) { return 1.0 + 0.5 * u; }));
  problem.initial.value = steady([](double x, double, double) {
    return -2.0 + 2.0 * std::sqrt(2.25 + 1.75 * x) + 1e-9 * std::cos(16.0 * pi * x);
  });
  MethodSettings method = implicit("crank_nicolson", 600, 0.3, 1e-13);
  method.check_every = 20;
  method.tolerance = 1e-12;
  auto const solver = after(problem, method);
  EXPECT_TRUE(solver->converged() || solver->stalled());
  EXPECT_LT(solver->iteration(), 600);
}

TEST_F(NonlinearSteps, RefusesAndReportsWhatItCannotSolve) {
  Problem problem = along_x(9);
  problem.initial.value = 1.0;
  problem.source = of_field([](double u) { return u * u; });
  EXPECT_THROW((void)after(problem, ftcs(2, 1e-3)), InputError);
  MethodSettings direct = implicit("backward_euler", 2, 1e-3);
  direct.direct_steps = true;
  EXPECT_THROW((void)after(problem, direct), InputError);
  // u = 1 + Δt u² has no solution.
  try {
    (void)after(problem, implicit("backward_euler", 2, 1.0));
    ADD_FAILURE() << "the step has no solution";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("the step to t = 1 did not converge"),
              std::string::npos)
        << error.what();
  }
  problem.medium.capacity = of_field([](double u) { return 0.5 - u; });
  EXPECT_THROW((void)after(problem, implicit("backward_euler", 2, 1e-3)), InputError);
}

/// Gauss's rule is exact for polynomials of degree 5, and between the rows of tables.
TEST_F(NonlinearSteps, HeatContentIsExactForPolynomialsAndTables) {
  Problem problem = along_x(5);
  problem.initial.value = steady([](double x, double, double) { return -1.0 + 3.0 * x; });
  problem.medium.capacity = of_field([](double u) { return 40.0 + std::pow(u, 5); });
  HeatContent const smooth(problem);
  auto const integral = [](double u) { return 40.0 * u + std::pow(u, 6) / 6.0; };
  for (auto const& [from, to] : {std::pair{-1.0, 2.0}, {1.7, 0.3}, {0.4, 0.4000001}}) {
    EXPECT_NEAR(smooth.between({}, from, to), integral(to) - integral(from), 1e-12);
    // It does not depend on the way.
    EXPECT_NEAR(smooth.between({}, from, 0.77) + smooth.between({}, 0.77, to),
                smooth.between({}, from, to), 1e-13);
  }
  problem.medium.capacity = melting(20.0, 1e-3);
  HeatContent const table(problem);
  EXPECT_NEAR(table.between({}, -1.0, 2.0), 23.0, 1e-12);
  EXPECT_NEAR(table.between({}, 0.5, -5e-4), -10.0 - 0.5005, 1e-12);
  EXPECT_NEAR(table.between({}, -1e9, -1e8), 9e8, 1.0);
}

/// A peak of the capacity, as of latent heat, holds its heat in kelvin and in degrees Celsius, in
/// units of any size, and whatever the given values. Exponentials and jumps are integrated, too.
TEST_F(NonlinearSteps, HeatContentFindsPeaksExponentialsAndJumps) {
  Problem problem = along_x(5);
  for (double const centre : {0.0, 273.15, -40.0}) {
    for (double const width : {0.05, 0.5, 3.0}) {
      if (is_sanitized && width < 3.0) continue;
      auto const heat = [=](double u) { return 2e6 * u + 1.5e8 * std::erf((u - centre) / width); };
      problem.medium.capacity = of_field([=](double u) {
        return 2e6 + 3e8 / (width * std::sqrt(std::numbers::pi)) *
                         std::exp(-std::pow((u - centre) / width, 2));
      });
      HeatContent const content(problem);
      for (double const from : {centre - 20.0, centre - 0.7 * width}) {
        double const exact = heat(centre + 20.0) - heat(from);
        EXPECT_NEAR(content.between({}, from, centre + 20.0), exact, 1e-7 * exact)
            << centre << ' ' << width;
      }
    }
  }
  for (double const unit : {1e-3, 1.0, 1e3}) {
    problem.medium.capacity = of_field([=](double u) { return std::exp(3.0 * u / unit); });
    HeatContent const content(problem);
    double const exact = (std::exp(12.0) - 1.0) * unit / 3.0;
    EXPECT_NEAR(content.between({}, 0.0, 4.0 * unit), exact, 1e-8 * exact) << unit;
  }
  problem.medium.capacity = of_field([](double u) { return u < 0.3 ? 1.0 : 7.0; });
  EXPECT_NEAR(HeatContent(problem).between({}, -1.0, 2.0), 1.3 + 7.0 * 1.7, 1e-9);
  problem.medium.capacity =
      of_field([](double u) { return 1.0 + 1e-3 * u; });  // negative below -1000
  EXPECT_NEAR(HeatContent(problem).between({}, 1e-6, 1e3), 1500.0, 1e-5);
  EXPECT_TRUE(std::isnan(HeatContent(problem).between({}, 0.0, -2e3)));
}

}  // namespace
}  // namespace isotherm::test
