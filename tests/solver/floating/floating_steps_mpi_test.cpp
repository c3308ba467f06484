#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/shapes.hpp"

// Floating conductors in implicit time steps, against a serial solution of the discrete equations
// and conservation of heat.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using FloatingSteps = SteppingTest;

constexpr double capacity = 2.0;

FixedRegion floating(Region region, double power) {
  FixedRegion conductor{std::move(region), 0.0};
  conductor.floating_flux = power;
  return conductor;
}

void set_base(Problem& problem) {
  problem.medium.capacity = capacity;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
}

MethodSettings backward_euler(double step_s, std::int64_t steps) {
  MethodSettings method = jacobi(steps);
  method.name = "backward_euler";
  method.time_step_s = step_s;
  method.step_tolerance = 1e-12;
  return method;
}

/// A slab between the plates x = 0 and x = 1 at the values 0 and 1, which begins at 0.25 as the
/// medium does.
Problem heated_slab(int dimension, double power, Precision precision = Precision::float64) {
  Problem problem = plates(dimension, {11, 5, dimension == 3 ? 4 : 1}, 0);
  problem.equation = Equation::diffusion;
  problem.precision = precision;
  problem.initial.value = 0.25;
  set_base(problem);
  problem.medium.fixed.push_back(floating(box_region({0.4, -1, -1}, {0.6, 2, 2}), power));
  return problem;
}

/// The discrete equations of the slab, as a chain: three points, the conductor with the heat
/// capacity of its three points, three points. A step solves them by elimination.
class SerialSlab {
 public:
  explicit SerialSlab(double power) : power_(power) {}

  void step(double step_s) {
    constexpr double h = 0.1, link = 1.0 / h;
    std::size_t const n = u_.size();
    std::vector<double> diagonal(n), right(n);
    for (std::size_t i = 0; i < n; ++i) {
      double const mass = capacity * h * (i == conductor ? 3.0 : 1.0) / step_s;
      diagonal[i] = mass + 2.0 * link;
      right[i] = mass * u_[i] + (i == conductor ? power_ : 0.0);
    }
    right[n - 1] += link * 1.0;  // the upper plate
    for (std::size_t i = 1; i < n; ++i) {
      double const factor = link / diagonal[i - 1];
      diagonal[i] -= factor * link;
      right[i] += factor * right[i - 1];
    }
    for (std::size_t i = n; i-- > 0;) {
      u_[i] = (right[i] + (i + 1 < n ? link * u_[i + 1] : 0.0)) / diagonal[i];
    }
  }
  [[nodiscard]] double value() const { return u_[conductor]; }
  /// Returns the value at a point of the grid.
  [[nodiscard]] double at(std::int64_t x) const {
    if (x == 0 || x == 10) return x == 0 ? 0.0 : 1.0;
    std::int64_t const number = x < 4 ? x - 1 : x <= 6 ? 3 : x - 3;
    return u_[static_cast<std::size_t>(number)];
  }

 private:
  static constexpr std::size_t conductor = 3;
  double power_;
  std::vector<double> u_ = std::vector<double>(7, 0.25);
};

TEST_F(FloatingSteps, SlabFollowsTheSerialSolution) {
  for (int const dimension : {2, 3}) {
    for (double const step_s : {0.004, 0.3}) {
      double const power = 3.0;
      auto solver = made(heated_slab(dimension, power), backward_euler(step_s, 6));
      SerialSlab serial(power);
      EXPECT_EQ(solver->floating_conductors().at(0).value, 0.25);
      for (int step = 1; step <= 6; ++step) {
        double const before = serial.value();
        solver->advance_to(step);
        serial.step(step_s);
        FloatingConductor const found = solver->floating_conductors().at(0);
        EXPECT_NEAR(found.value, serial.value(), 1e-10) << step_s << ' ' << step;
        double const stored = 3.0 * capacity * 0.1 * (serial.value() - before) / step_s;
        EXPECT_NEAR(found.flux, power - stored, 1e-8) << step_s << ' ' << step;
        std::vector<double> const u = field_of<double>(*solver);
        for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
          ASSERT_NEAR(u[number], serial.at(p.x), 1e-10) << step << ' ' << p.x;
        });
      }
    }
  }
}

/// Long steps lead to the steady value, that of a voltage divider with a given charge.
TEST_F(FloatingSteps, LongStepsReachTheSteadyValue) {
  double const power = 2.5, exact = (1.0 / 0.4 + power) / (1.0 / 0.4 + 1.0 / 0.4);
  auto const solver = after(heated_slab(2, power), backward_euler(1e7, 3));
  EXPECT_NEAR(solver->floating_conductors().at(0).value, exact, 1e-6);
  auto const single = after(heated_slab(2, power, Precision::float32), backward_euler(1e7, 3));
  EXPECT_NEAR(single->floating_conductors().at(0).value, exact, 1e-5);
}

/// Returns Σ c V u over all points.
double heat_of(Solver& solver, Problem const& problem) {
  std::vector<double> const u = field_of<double>(solver);
  double sum = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    sum += capacity * volume(problem.grid, MediumUnits{}, p) * u[number];
  });
  return mpi::Communicator(MPI_COMM_WORLD).sum(sum);
}

/// Two conductors between points, in an insulated box: all of their power remains. Their initial
/// values are the means of the initial field, which has the same heat.
TEST_F(FloatingSteps, TwoConductorsInAnInsulatedBoxConserveHeat) {
  Problem problem = box_problem(Equation::diffusion, 2, {25, 21, 1}, {neumann, 0.0});
  problem.initial.value = steady([](double x, double y, double) { return x + y * y; });
  set_base(problem);
  problem.medium.fixed.push_back(
      floating(solid_region(make_ball(2, {0.3137, 0.42, 0}, 0.17)), 1.5));
  problem.medium.fixed.push_back(floating(
      expression([](double x, double y, double) { return x > 0.613 && x < 0.9 && y > 0.55; }),
      -0.25));
  double initial = 0.0;
  for (std::int64_t j = 0; j < 21; ++j) {
    for (std::int64_t i = 0; i < 25; ++i) {
      double const x = problem.grid.coordinate(0, i), y = problem.grid.coordinate(1, j);
      initial += capacity * volume(problem.grid, MediumUnits{}, {i, j, 0}) * (x + y * y);
    }
  }
  double const step_s = 0.01;
  auto solver = made(problem, backward_euler(step_s, 5));
  EXPECT_NEAR(heat_of(*solver, problem), initial, 1e-12);
  for (int step = 1; step <= 5; ++step) {
    solver->advance_to(step);
    EXPECT_NEAR(heat_of(*solver, problem), initial + 1.25 * step_s * step, 1e-9) << step;
  }
  // The conductors have one value each.
  std::vector<double> const u = field_of<double>(*solver);
  auto const conductors = solver->floating_conductors();
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    auto const [x, y, z] = coordinates(problem.grid, p);
    for (std::size_t i = 0; i < 2; ++i) {
      if (problem.medium.fixed[i].where.contains(x, y, z)) {
        EXPECT_EQ(u[number], conductors[i].value) << x << ' ' << y;
      }
    }
  });
}

/// The field holds all that a resumed run needs, also if steps have several lengths.
TEST_F(FloatingSteps, ResumedRunHasTheSameBits) {
  for (Precision const precision : {Precision::float64, Precision::float32}) {
    Problem const problem = heated_slab(2, 3.0, precision);
    MethodSettings method = backward_euler(0.02, 0);
    method.times_s = {0.05};
    method.end_time_s = 0.11;
    lay_out_steps(method);
    auto whole = after(problem, method);
    auto first = made(problem, method);
    first->advance_to(3);
    auto resumed = made(problem, method);
    with_precision(precision, [&]<class Real>(Real) {
      std::vector<Real> const u = field_of<Real>(*first);
      resumed->restore(std::span<Real const>(u), first->state());
      resumed->advance_to(method.iterations);
      EXPECT_EQ(field_of<Real>(*resumed), field_of<Real>(*whole));
    });
    EXPECT_NEAR(whole->time_s(), 0.11, 1e-12);
  }
}

TEST_F(FloatingSteps, OtherMethodsAreRefused) {
  Problem const problem = heated_slab(2, 1.0);
  auto const message = [&](MethodSettings const& method) -> std::string {
    try {
      check_solvable(problem, method);
    } catch (InputError const& error) {
      return error.what();
    }
    return "accepted";
  };
  MethodSettings method = backward_euler(0.1, 3);
  EXPECT_EQ(message(method), "accepted");
  method.tolerance = 1e-3;
  EXPECT_NE(message(method).find("tolerance does not apply"), std::string::npos);
  method = backward_euler(0.1, 3);
  method.name = "crank_nicolson";
  EXPECT_NE(message(method).find("need \"backward_euler\""), std::string::npos);
  method.name = "ftcs";
  method.time_step_s = 1e-4;
  EXPECT_NE(message(method).find("need \"backward_euler\""), std::string::npos);
}

}  // namespace
}  // namespace isotherm::test
