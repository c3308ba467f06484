#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solver/problem/breakdown.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// Time steps that are divided to bound their error, against known solutions.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

constexpr double pi = std::numbers::pi;

/// Settings of a run of `intervals` steps, each of which is divided.
MethodSettings divided(std::string const& name, std::int64_t intervals, double length_s,
                       double tolerance) {
  MethodSettings method = ftcs(intervals, length_s);
  method.name = name;
  method.check_every = 0;
  method.step_tolerance = 1e-11;
  method.adaptive.tolerance = tolerance;
  return method;
}

/// Returns a function of the field and the time.
template <class OfBoth>
ScalarFunction of_both(OfBoth const& function) {
  ScalarFunction result;
  result.evaluate_of_both = [function](double, double, double, double t, double u) {
    return function(t, u);
  };
  result.evaluate = [function](double, double, double, double u) { return function(0.0, u); };
  result.depends_on_u = result.varies_in_time = true;
  result.text = "a test's function of u and t";
  return result;
}

/// The eigenmode sin(πx) sin(2πy) between faces at 0.
struct Mode {
  Problem problem = box_problem(Equation::diffusion, 2, {9, 13, 1}, {});
  double eigenvalue = 0.0;  ///< of −D ∇·∇

  Mode() {
    problem.diffusivity = 0.04;
    PerAxis<double> const waves{1.0, 2.0, 0.0};
    for (int axis = 0; axis < 2; ++axis) {
      double const h = problem.grid.spacing[axis];
      eigenvalue += problem.diffusivity * 2.0 * (1.0 - std::cos(waves[axis] * pi * h)) / (h * h);
    }
    problem.initial.value = steady(
        [](double x, double y, double) { return std::sin(pi * x) * std::sin(2.0 * pi * y); });
  }
};

/// A thin insulated body, whose values are equal everywhere.
Problem lumped() {
  Problem problem = box_problem(Equation::diffusion, 2, {5, 5, 1}, {neumann, 0.0}, {1.0, 0.5, 1});
  problem.initial.value = 1.0;
  return problem;
}

class AdaptiveSteps : public SteppingTest {
 protected:
  /// Expects that the error at the end falls by 2^p if the tolerance falls by 2^(p + 1), as it does
  /// if steps are halved.
  template <class Function>
  void expect_order(Problem const& problem, double end_s, double tolerance, Function const& exact) {
    for (std::string const name : {"backward_euler", "crank_nicolson"}) {
      int const order = name == "crank_nicolson" ? 2 : 1;
      std::vector<double> errors;
      std::vector<StepState> steps;
      for (double const factor : {1.0, std::pow(4.0, -(order + 1))}) {
        auto const solver = after(problem, divided(name, 2, 0.5 * end_s, factor * tolerance));
        errors.push_back(error_of(*solver, exact));
        steps.push_back(*solver->state().steps);
        EXPECT_EQ(solver->time_s(), end_s);
      }
      double const ratio = errors[0] / errors[1];
      double const wanted = std::pow(4.0, order);
      EXPECT_GT(ratio, 0.6 * wanted) << name << ' ' << errors[0] << ' ' << errors[1];
      EXPECT_LT(ratio, 1.7 * wanted) << name << ' ' << errors[0] << ' ' << errors[1];
      // The errors of the steps add up, or are damped.
      EXPECT_LE(errors[0], static_cast<double>(steps[0].accepted) * tolerance) << name;
      EXPECT_GT(steps[1].accepted, 2 * steps[0].accepted);
    }
  }
};

TEST_F(AdaptiveSteps, ErrorOfADecayingModeFollowsTheTolerance) {
  Mode const mode;
  expect_order(mode.problem, 1.0, 1e-3, [&](double x, double y, double) {
    return std::exp(-mode.eigenvalue) * std::sin(pi * x) * std::sin(2.0 * pi * y);
  });
}

/// The same in a heterogeneous medium, by conjugate gradients.
TEST_F(AdaptiveSteps, ErrorInAMediumFollowsTheTolerance) {
  Mode mode;
  mode.problem.diffusivity = 1.0;
  make_isotropic(mode.problem, 0.08);
  mode.problem.medium.capacity = 2.0;
  expect_order(mode.problem, 1.0, 1e-3, [&](double x, double y, double) {
    return std::exp(-mode.eigenvalue) * std::sin(pi * x) * std::sin(2.0 * pi * y);
  });
}

/// u' = −u³: u = 1 / √(1 + 2 t).
TEST_F(AdaptiveSteps, ErrorOfANonlinearSinkFollowsTheTolerance) {
  Problem problem = lumped();
  problem.source = of_both([](double, double u) { return -u * u * u; });
  problem.source.varies_in_time = false;
  expect_order(problem, 2.0, 1e-3, [](double, double, double) { return 1.0 / std::sqrt(5.0); });
}

/// u' = −u t: u = exp(−t²/2).
TEST_F(AdaptiveSteps, SourceOfTheFieldAndTheTime) {
  Problem problem = lumped();
  problem.source = of_both([](double t, double u) { return -u * t; });
  expect_order(problem, 2.0, 1e-3, [](double, double, double) { return std::exp(-2.0); });
}

/// A body that conducts well loses heat by h (u − 0) through two faces of twice the area of the
/// volume. With h = (3 + t) / 2, u = exp(−3 t − t²/2).
TEST_F(AdaptiveSteps, FilmThatVariesInTime) {
  if (is_sanitized) GTEST_SKIP() << "many steps, for the numbers only";
  Problem problem = lumped();
  make_isotropic(problem, 1e6);
  BoundaryCondition film{robin, 0.0};
  film.coefficient = varying([](double, double, double, double t) { return 0.5 * (3.0 + t); });
  problem.boundary[{0, false}] = problem.boundary[{0, true}] = film;
  expect_order(problem, 1.0, 1e-3, [&](double, double, double) { return std::exp(-3.5); });
}

/// A slab whose faces are quenched at t = 0: short steps first, then as long as the run.
TEST_F(AdaptiveSteps, StepsGrowByOrdersOfMagnitudeAfterAQuench) {
  if (is_sanitized) GTEST_SKIP() << "many steps, for the numbers only";
  Problem problem = box_problem(Equation::diffusion, 2, {65, 5, 1}, {neumann, 0.0}, {1.0, 0.1, 1});
  set_axis(problem, 0, {dirichlet, 0.0});
  problem.initial.value = 1.0;
  auto const exact = [](double x, double t) {
    double sum = 0.0;
    for (int n = 1; n < 60; n += 2) {
      sum += 4.0 / (n * pi) * std::sin(n * pi * x) * std::exp(-n * n * pi * pi * t);
    }
    return sum;
  };
  for (bool const direct : {false, true}) {
    MethodSettings method = divided("backward_euler", 0, 10.0, 1e-3);
    method.direct_steps = direct;
    method.times_s = {0.05, 0.1};
    method.end_time_s = 20.1;
    lay_out_steps(method);
    auto const solver = made(problem, method);
    std::int64_t iteration = 0;
    for (double const time_s : method.times_s) {
      solver->advance_to(++iteration);
      EXPECT_EQ(solver->time_s(), time_s);
      EXPECT_LE(error_of(*solver, [&](double x, double, double) { return exact(x, time_s); }),
                0.01);
    }
    solver->advance_to(method.iterations);
    EXPECT_LE(error_of(*solver, [](double, double, double) { return 0.0; }), 1e-3);
    StepState const steps = *solver->state().steps;
    EXPECT_LE(steps.accepted, 300);
    EXPECT_LE(steps.shortest_s, 1e-4);
    EXPECT_GE(steps.longest_s, 5.0);
  }
}

/// The mean is that of the heat balance, for steps of any length.
TEST_F(AdaptiveSteps, InsulatedBodyKeepsItsHeat) {
  for (bool const medium : {false, true}) {
    Problem problem = box_problem(Equation::diffusion, 2, {17, 9, 1}, {neumann, 0.0});
    if (medium) make_isotropic(problem, 2.0);
    problem.initial.value = steady([](double x, double, double) { return std::cos(pi * x); });
    problem.source = varying([](double, double, double, double t) { return std::cos(t); });
    auto const solver = after(problem, divided("crank_nicolson", 3, 1.0, 1e-4));
    EXPECT_LE(error_of(*solver, [](double, double, double) { return std::sin(3.0); }), 2e-3);
  }
}

TEST_F(AdaptiveSteps, ContinuesFromAStateWithTheSameBits) {
  for (int const kind : {0, 1, 2, 3}) {
    Problem problem = Mode().problem;
    problem.source =
        varying([](double x, double, double, double t) { return x * std::sin(10.0 * t); });
    if (kind == 1) make_isotropic(problem, 2.0);
    if (kind == 2) problem.source = of_both([](double t, double u) { return std::sin(t) - u; });
    MethodSettings method = divided("crank_nicolson", 5, 0.3, 1e-3);
    method.direct_steps = kind == 3;
    method.check_every = 1;
    auto const whole = after(problem, method);
    auto const first = made(problem, method);
    first->advance_to(2);
    auto const resumed = made(problem, method);
    std::vector<double> const values = field_of<double>(*first);
    resumed->restore(std::span<double const>(values), first->state());
    for (std::int64_t at = 3; at <= 5; ++at) resumed->advance_to(at);
    EXPECT_EQ(field_of<double>(*whole), field_of<double>(*resumed)) << kind;
    EXPECT_EQ(whole->state().steps, resumed->state().steps);
    // CUDA adds the parts of the residual in any order.
    EXPECT_NEAR(whole->state().last_residual->value / resumed->state().last_residual->value, 1.0,
                tested_backend() == Backend::cuda ? 1e-12 : 0.0);
    EXPECT_GT(whole->state().steps->accepted, 5);
  }
}

/// u' = u²: a step of backward Euler has no solution if u Δt > 1/4. Such steps are shortened.
TEST_F(AdaptiveSteps, StepsWithoutSolutionAreShortened) {
  Problem problem = lumped();
  problem.source = of_both([](double, double u) { return u * u; });
  problem.source.varies_in_time = false;
  auto const solver = after(problem, divided("backward_euler", 1, 0.5, 1e-2));
  EXPECT_LE(error_of(*solver, [](double, double, double) { return 2.0; }), 0.3);
  EXPECT_GT(solver->state().steps->rejected, 0);
  // It has no solution beyond t = 1.
  MethodSettings method = divided("backward_euler", 1, 2.0, 1e-2);
  method.adaptive.shortest_s = 1e-3;
  EXPECT_THROW((void)after(problem, method), NotConverged);
  method.adaptive.tolerance = 0.0;
  EXPECT_THROW((void)after(problem, method), NotConverged);
}

TEST_F(AdaptiveSteps, AToleranceThatRoundingExceedsEndsTheRun) {
  MethodSettings const method = divided("backward_euler", 1, 1.0, 1e-20);
  try {
    (void)after(Mode().problem, method);
    ADD_FAILURE() << "no step is so accurate";
  } catch (NotConverged const& error) {
    EXPECT_NE(std::string(error.what()).find("time_tolerance is 1e-20"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace isotherm::test
