#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// Conductivities that depend on the time in implicit steps, as cases give them: waves, transforms
// of Kirchhoff and two materials, whose discrete solutions are known.

namespace isotherm::test {
namespace {

constexpr double pi = std::numbers::pi;

using ConductivityInTime = SteppingTest;

/// A strip whose ends have the value 0 and whose sides are insulated. `medium` has the keys of
/// [equation], and tables.
Case strip(std::string const& medium, std::string const& method, int steps, double step_s,
           std::vector<std::string> const& more = {}) {
  std::string const text = R"toml([grid]
points = [17, 5]
upper = [1.0, 0.5]
[boundary]
x = { type = "dirichlet", value = 0.0 }
y = { type = "neumann" }
[initial]
value = "sin(pi*x)"
[method]
step_tolerance = 1e-12
name = ")toml" + method +
                           "\"\nsteps = " + std::to_string(steps) +
                           "\ntime_step = " + std::to_string(step_s) +
                           "\n[equation]\ntype = \"diffusion\"\n" + medium + "\n";
  return parse_case(text, "case.toml", more);
}

/// The eigenvalue of sin(πx) on the strip's grid.
double eigenvalue() { return 4.0 * 256.0 * std::pow(std::sin(0.5 * pi / 16.0), 2); }

/// Returns by how much steps multiply a wave of this eigenvalue.
double amplification(std::string const& method, int steps, double step_s, double lambda,
                     std::function<double(double)> const& conductivity) {
  auto const rate = [&](double t) { return lambda * conductivity(t); };
  double product = 1.0;
  for (int n = 0; n < steps; ++n) {
    double const from = n * step_s, to = from + step_s, half = 0.5 * step_s;
    if (method == "backward_euler") {
      product /= 1.0 + step_s * rate(to);
    } else if (n == 0) {  // two half steps of backward Euler
      product /= (1.0 + half * rate(half)) * (1.0 + half * rate(to));
    } else {
      product *= (1.0 - half * rate(from)) / (1.0 + half * rate(to));
    }
  }
  return product;
}

TEST_F(ConductivityInTime, StepsMultiplyAWaveByKnownFactors) {
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    double const factor =
        amplification(name, 5, 0.02, eigenvalue(), [](double t) { return 0.5 + 20.0 * t; });
    for (std::string const medium :
         {"conductivity = \"0.5 + 20*t\"", "conductivity = [\"0.5 + 20*t\", \"1 + t\"]"}) {
      Case const chosen = strip(medium, name, 5, 0.02);
      auto const solver = after(chosen.problem, chosen.method);
      EXPECT_LE(
          error_of(*solver, [&](double x, double, double) { return factor * std::sin(pi * x); }),
          1e-10)
          << name << ' ' << medium;
    }
  }
}

/// u = exp(−λ ∫ κ dt) sin(πx): the orders of the methods in time.
TEST_F(ConductivityInTime, OrdersOfConvergence) {
  double const integral = 0.5 * 0.4 + 0.5 * 4.0 * 0.4 * 0.4;
  double const exact = std::exp(-eigenvalue() * integral);
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    std::vector<double> errors;
    for (int const steps : {20, 40}) {
      Case const chosen = strip("conductivity = \"0.5 + 4*t\"", name, steps, 0.4 / steps);
      auto const solver = after(chosen.problem, chosen.method);
      errors.push_back(
          error_of(*solver, [&](double x, double, double) { return exact * std::sin(pi * x); }));
    }
    double const order = name == "backward_euler" ? 1.0 : 2.0;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.25) << name << ' ' << errors[1];
    EXPECT_LE(errors[1] / exact, order == 1.0 ? 0.5 : 0.02) << name;
  }
}

/// κ = (1 + 3t)(1 + u), c = 1 + u: Θ = u + u²/2 obeys the linear equation Θ_t = (1 + 3t) ∇²Θ.
TEST_F(ConductivityInTime, TogetherWithTheSolution) {
  auto const inverse = [](double theta) { return -1.0 + std::sqrt(1.0 + 2.0 * theta); };
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    Case const chosen = strip("conductivity = \"(1 + 3*t)*(1 + u)\"\ncapacity = \"1 + u\"", name, 6,
                              0.02, {"initial.value=\"-1 + sqrt(1 + 2*sin(pi*x))\""});
    double const factor =
        amplification(name, 6, 0.02, eigenvalue(), [](double t) { return 1.0 + 3.0 * t; });
    auto const solver = after(chosen.problem, chosen.method);
    EXPECT_LE(error_of(*solver, [&](double x, double,
                                    double) { return inverse(factor * std::sin(pi * x)); }),
              1e-10)
        << name;
  }
}

/// Two materials along x, of which the left one, up to x = 0.4, changes.
struct TwoMaterials {
  static constexpr int intervals = 16;
  static constexpr double h = 1.0 / intervals, surface = 0.4;

  double (*left)(double t);
  static constexpr double right = 0.2;
  /// The conductance per area of the link from a point to the next one.
  [[nodiscard]] double conductance(int lower, double t) const {
    double const share = std::clamp(surface - lower * h, 0.0, h);
    return 1.0 / (share / left(t) + (h - share) / right);
  }
  /// Returns u after a step of backward Euler, by elimination.
  [[nodiscard]] std::vector<double> step(std::vector<double> const& u, double to_s,
                                         double step_s) const {
    std::vector<double> factor(intervals + 1), result(u);
    for (int i = 1; i < intervals; ++i) {
      auto const n = static_cast<std::size_t>(i);
      double const below = conductance(i - 1, to_s), above = conductance(i, to_s);
      double const pivot = h / step_s + below + above - below * factor[n - 1];
      factor[n] = above / pivot;
      result[n] = (h / step_s * u[n] + below * (i == 1 ? 0.0 : result[n - 1])) / pivot;
    }
    for (std::size_t n = intervals - 1; n-- > 1;) result[n] += factor[n] * result[n + 1];
    return result;
  }
};

/// Steps of backward Euler match elimination, and store the heat that flows in at their ends,
/// whatever the ratio of a conductivity to that at t = 0.
TEST_F(ConductivityInTime, AMaterialThatChangesMatchesElimination) {
  struct Change {
    char const* text;
    double (*of_time)(double t);
  };
  constexpr double step_s = 0.01;
  for (auto const& [text, of_time] :
       {Change{"1 + 50*t", [](double t) { return 1.0 + 50.0 * t; }},
        Change{"10^(-100*t)", [](double t) { return std::pow(10.0, -100.0 * t); }}}) {
    Case const chosen = strip(
        "conductivity = 0.2\n[[material]]\nbox = { lower = [-1, -1], upper = [0.4, 2] }\n"
        "conductivity = \"" +
            std::string(text) + '"',
        "backward_euler", 6, step_s);
    auto const solver = made(chosen.problem, chosen.method);
    EnergyMeter<double> meter(ranks_, solver->queue(), solver->subdomain(), chosen.problem);
    auto const heat = [&] {
      return meter.heat(std::get<FieldView<double const>>(solver->field_view()));
    };
    std::vector<double> u;
    for (int i = 0; i < TwoMaterials::intervals; ++i) {
      u.push_back(std::sin(pi * i * TwoMaterials::h));
    }
    u.push_back(0.0);
    for (int step = 1; step <= 6; ++step) {
      double const before = heat();
      solver->advance_to(step);
      u = TwoMaterials{of_time}.step(u, step_s * step, step_s);
      EXPECT_LE(error_of(*solver,
                         [&](double x, double, double) {
                           return u[static_cast<std::size_t>(std::lround(x / TwoMaterials::h))];
                         }),
                1e-10)
          << text << ", step " << step;
      HeatFlows const flows = flows_of(*solver, chosen.problem);
      EXPECT_NEAR((heat() - before) / (step_s * flows.balance), 1.0, 1e-9) << text;
    }
    EXPECT_LT(solver->inner_iterations(), 180) << text;
  }
}

TEST_F(ConductivityInTime, ResumesWithTheSameBits) {
  std::string const medium =
      "conductivity = \"1 + t*u\"\n[[material]]\nbox = { lower = [-1, -1], upper = [0.4, 2] }\n"
      "conductivity = \"1 + 50*t\"";
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    Case const chosen = strip(medium, name, 6, 0.01);
    auto const whole = made(chosen.problem, chosen.method);
    whole->advance_to(2);
    SolverState const state = whole->state();
    std::vector<double> const field = field_of<double>(*whole);
    whole->advance_to(6);
    auto const resumed = made(chosen.problem, chosen.method);
    resumed->restore(std::span(field), state);
    resumed->advance_to(6);
    EXPECT_EQ(field_of<double>(*whole), field_of<double>(*resumed)) << name;
  }
}

/// Divided steps keep their bound, although κ rises a hundredfold.
TEST_F(ConductivityInTime, DividedStepsBoundTheirError) {
  double const integral = 0.2 + 0.5 * 100.0 * 0.2 * 0.2;
  double const exact = std::exp(-0.05 * eigenvalue() * integral);
  Case const chosen = strip("conductivity = \"0.05*(1 + 100*t)\"", "crank_nicolson", 2, 0.1,
                            {"method.time_tolerance=1e-5"});
  auto const solver = after(chosen.problem, chosen.method);
  EXPECT_LE(error_of(*solver, [&](double x, double, double) { return exact * std::sin(pi * x); }),
            1e-4 * exact);
}

TEST_F(ConductivityInTime, BadCasesAreRefused) {
  auto const expect = [this](std::string const& wanted, std::string const& medium,
                             std::vector<std::string> const& more = {}) {
    try {
      Case const chosen = strip(medium, "backward_euler", 2, 0.1, more);
      (void)after(chosen.problem, chosen.method);
      ADD_FAILURE() << "not refused: " << wanted;
    } catch (std::exception const& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    }
  };
  expect("capacity depends on t, the time, but stored heat must be a function of u alone",
         "capacity = \"1 + t\"");
  expect("capacity depends on t",
         "[[material]]\nball = { center = [0.5, 0.2], radius = 0.1 }\n"
         "capacity = \"1 + t\"");
  expect("but a coefficient depends on t (needs \"backward_euler\" or \"crank_nicolson\")",
         "conductivity = \"1 + t\"", {"method.name=rkl2", "!method.step_tolerance"});
  expect("step_solver is \"direct\", but a coefficient depends on t", "conductivity = \"1 + t\"",
         {"method.step_solver=direct"});
  expect("it depends on t, the time, but only conductivities", "conductivity = \"1 + t\"",
         {"equation.type=poisson", "method.name=multigrid", "!method.time_step", "!method.steps",
          "!method.step_tolerance"});
  expect("conductivity is -1", "conductivity = \"t - 1\"");
  expect("a coefficient that depends on u or t is not valid", "conductivity = \"1 - 8*t\"");
}

}  // namespace
}  // namespace isotherm::test
