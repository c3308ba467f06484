#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"

// Multigrid with conjugate gradients for heterogeneous media.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class MediumMultigrid : public BackendTest {};

/// Returns the message with which the problem is refused; empty if it is accepted.
std::string refusal_of(Problem const& problem, MethodSettings const& method) {
  try {
    (void)solved(problem, method);
  } catch (ValueRefusal const& refusal) {
    return refusal.what();
  }
  return {};
}
#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "the message is: " << (message)

MethodSettings multigrid(std::int64_t iterations, double tolerance = 1e-8) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = iterations;
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

Problem with_conductivity(Extent3 points,
                          std::function<double(double, double, double)> const& values) {
  Problem problem = box_problem(Equation::poisson, points.z > 1 ? 3 : 2, points, {dirichlet, 0.0});
  problem.source =
      steady([](double x, double y, double z) { return std::exp(x) * std::sin(3 * y + z) + 1; });
  make_isotropic(problem, steady(values));
  return problem;
}

std::int64_t iterations_of(Problem const& problem, double tolerance = 1e-8) {
  auto const solver = solved(problem, multigrid(60, tolerance));
  EXPECT_TRUE(solver->converged())
      << solver->state().last_residual->value / *solver->state().reference;
  return solver->iteration();
}

/// Two dimensions suffice for the checks of memory accesses.
std::vector<int> const dimensions = is_sanitized ? std::vector{2} : std::vector{2, 3};

/// Multigrid converges to the solution of Jacobi relaxations.
TEST_F(MediumMultigrid, MatchesJacobi) {
  for (int const dimension : dimensions) {
    Problem const problem = everything(Equation::poisson, Precision::float64, dimension);
    MethodSettings slow = jacobi(60000);
    slow.check_every = 200;
    slow.tolerance = 1e-10;
    auto const wanted = solved(problem, slow);
    ASSERT_TRUE(wanted->converged());
    auto const found = solved(problem, multigrid(60, 1e-12));
    EXPECT_TRUE(found->converged());
    EXPECT_LE(found->iteration(), 25);
    EXPECT_LE(difference<double>(*wanted, *found), 1e-7) << dimension;
  }
}

TEST_F(MediumMultigrid, Float32MatchesFloat64) {
  Problem const problem = everything(Equation::poisson, Precision::float64, 3);
  Problem single = problem;
  single.precision = Precision::float32;
  auto const wide = solved(problem, multigrid(60));
  auto const found = solved(single, multigrid(60, 1e-4));
  EXPECT_TRUE(found->converged());
  std::vector<double> const a = field_of<double>(*wide);
  std::vector<float> const b = field_of<float>(*found);
  for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], static_cast<double>(b[n]), 2e-3);
}

/// A uniform medium, compared with the solver for constant coefficients.
TEST_F(MediumMultigrid, UniformMediumMatchesConstantCoefficients) {
  for (int const dimension : {2, 3}) {
    Problem plain = mixed_problem(Equation::poisson, Precision::float64, dimension);
    Problem medium = plain;
    make_isotropic(medium, steady([](double, double, double) { return 1.0; }));
    auto const one = solved(plain, multigrid(30, 1e-12));
    auto const other = solved(medium, multigrid(30, 1e-12));
    EXPECT_TRUE(one->converged() && other->converged());
    EXPECT_LE(other->iteration(), 14);
    EXPECT_LE(difference<double>(*one, *other), 1e-10) << dimension;
  }
}

MethodSettings implicit(std::string const& name, std::int64_t steps, double time_step_s) {
  MethodSettings method = ftcs(steps, time_step_s);
  method.name = name;
  method.step_tolerance = 1e-10;
  method.check_every = 0;
  return method;
}

/// Ever shorter explicit steps tend to the exact integral in time. Extrapolation from two lengths
/// is of second order, too.
TEST_F(MediumMultigrid, ImplicitStepsMatchExplicitSteps) {
  for (int const dimension : dimensions) {
    Problem const problem = everything(Equation::diffusion, Precision::float64, dimension);
    double const stable = largest_stable_time_step(problem);
    std::vector<double> const coarse = field_of<double>(*solved(problem, ftcs(100, 0.8 * stable)));
    std::vector<double> const fine = field_of<double>(*solved(problem, ftcs(200, 0.4 * stable)));
    auto const error_of = [&](MethodSettings const& method) {
      std::vector<double> const u = field_of<double>(*solved(problem, method));
      double largest = 0;
      for (std::size_t n = 0; n < u.size(); ++n) {
        double const error = std::abs(u[n] - (2 * fine[n] - coarse[n]));
        largest = std::isnan(largest) || error <= largest ? largest : error;
      }
      return largest;
    };
    double change = 0;
    for (std::size_t n = 0; n < fine.size(); ++n) {
      change = std::max(change, std::abs(fine[n] - coarse[n]));
    }
    EXPECT_LE(error_of(implicit("crank_nicolson", 50, 1.6 * stable)), 2 * change);
    EXPECT_LE(error_of(implicit("backward_euler", 100, 0.8 * stable)), 10 * change);
  }
}

/// Long implicit steps converge to the steady solution.
TEST_F(MediumMultigrid, ImplicitStepsConvergeToTheSteadySolution) {
  for (Precision const precision : {Precision::float64, Precision::float32}) {
    Problem problem = everything(Equation::poisson, precision, 3);
    auto const wanted =
        solved(problem, multigrid(60, precision == Precision::float64 ? 1e-11 : 1e-4));
    problem.equation = Equation::diffusion;
    problem.medium.capacity = steady([](double x, double, double) { return 2 + x; });
    auto const found = solved(problem, implicit("backward_euler", 30, 10.0));
    if (precision == Precision::float64) {
      EXPECT_LE(difference<double>(*wanted, *found), 1e-8);
    } else {
      EXPECT_LE(difference<float>(*wanted, *found), 3e-3);
    }
  }
}

/// A problem without given values, whose source cancels only after its mean is subtracted.
Problem with_nothing_given(int dimension) {
  Problem problem = mixed_problem(Equation::poisson, Precision::float64, dimension);
  problem.boundary[{0, false}] = {neumann, -0.4};
  problem.project = true;
  problem.mean = 2.5;
  return problem;
}

/// Compared with the solver for constant coefficients.
TEST_F(MediumMultigrid, ClosedBoxHasTheGivenMean) {
  for (int const dimension : {2, 3}) {
    Problem const plain = with_nothing_given(dimension);
    Problem medium = plain;
    make_isotropic(medium, steady([](double, double, double) { return 1.0; }));
    auto const one = solved(plain, multigrid(40, 1e-11));
    auto const other = solved(medium, multigrid(40, 1e-11));
    EXPECT_TRUE(one->converged() && other->converged());
    EXPECT_LE(other->iteration(), 12);
    EXPECT_LE(difference<double>(*one, *other), 1e-9) << dimension;
    EXPECT_EQ(other->remark(), one->remark());

    medium.precision = Precision::float32;
    auto const single = solved(medium, multigrid(40, 1e-4));
    EXPECT_TRUE(single->converged());
    std::vector<double> const wide = field_of<double>(*other);
    std::vector<float> const narrow = field_of<float>(*single);
    for (std::size_t n = 0; n < wide.size(); ++n) ASSERT_NEAR(narrow[n], wide[n], 1e-3);
  }
}

/// Materials on graded axes. y is symmetric, so the inflows cancel.
Problem with_symmetric_inflow() {
  Problem problem = graded(with_nothing_given(3));
  problem.project = false;
  make_isotropic(problem, steady([](double x, double y, double) {
                   return std::exp(2 * std::sin(7 * x)) * (y < 0.6 ? 50.0 : 1.0);
                 }));
  problem.source = steady([](double x, double y, double) { return x * (y < 0.65 ? 1e3 : -1e3); });
  set_axis(problem, 0, {neumann, 0.0});
  set_axis(problem, 1, {neumann, 0.0});
  return problem;
}

/// Returns the volume-weighted mean.
double mean_of(Solver& solver) {
  std::vector<double> const u = field_of<double>(solver);
  Grid const& grid = solver.subdomain().grid();
  PerAxis<std::vector<double>> weights;
  for (int axis = 0; axis < 3; ++axis) weights[axis] = trapezoidal_weights(grid, axis);
  double sum = 0.0;
  double volume = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    double of_point = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      of_point *= weights[axis][static_cast<std::size_t>(p[axis])];
    }
    sum += of_point * u[number];
    volume += of_point;
  });
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return ranks.sum(sum) / ranks.sum(volume);
}

/// If all inflows cancel, no heat flows into a fixed point, and fixing one point changes the
/// solution by a constant only.
TEST_F(MediumMultigrid, ClosedBoxMatchesOneFixedPointUpToAConstant) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem const free = with_symmetric_inflow();
  Problem held = free;
  double const x = free.grid.coordinate(0, 3);
  double const y = free.grid.coordinate(1, 4);
  held.medium.fixed.push_back({region([=](double at_x, double at_y, double at_z) {
                                 return at_x == x && at_y == y && at_z == 0.0;
                               }),
                               7.0});
  auto const found = solved(free, multigrid(60, 1e-11));
  auto const wanted = solved(held, multigrid(60, 1e-11));
  EXPECT_TRUE(found->converged() && wanted->converged());
  EXPECT_LE(found->iteration(), 20);
  EXPECT_NEAR(mean_of(*found), free.mean, 1e-12);
  std::vector<double> const a = field_of<double>(*found);
  std::vector<double> const b = field_of<double>(*wanted);
  double minimum = 1e300;
  double largest = -1e300;
  for (std::size_t n = 0; n < a.size(); ++n) {
    minimum = std::min(minimum, b[n] - a[n]);
    largest = std::max(largest, b[n] - a[n]);
  }
  EXPECT_LE(ranks.max(largest) - ranks.min(minimum), 1e-7);
}

/// An insulated wall divides a closed box into two components. The inflow must cancel in each of
/// them, and each has the given mean.
TEST_F(MediumMultigrid, EachIslandOfAClosedBoxHasTheGivenMean) {
  Problem problem = box_problem(Equation::poisson, 3, {17, 9, 8}, {neumann, 0.0});
  problem.medium.insulated.push_back(region([](double x, double, double) { return x == 0.5; }));
  problem.source =
      steady([](double x, double, double z) { return (x < 0.5 ? 1 : -3) * (z - 0.5); });
  problem.mean = -1.0;
  auto const found = solved(problem, multigrid(40, 1e-11));
  EXPECT_TRUE(found->converged());
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  double lower = 0.0;
  double upper = 0.0;
  std::vector<double> const u = field_of<double>(*found);
  for_each_owned(found->subdomain(), [&](Index3 p, std::size_t number) {
    double weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] == 0 || p[axis] == problem.grid.points[axis] - 1) weight *= 0.5;
    }
    if (p.x < 8) lower += weight * u[number] / (7.5 * 8 * 7);
    if (p.x > 8) upper += weight * u[number] / (7.5 * 8 * 7);
  });
  EXPECT_NEAR(ranks.sum(lower), -1.0, 1e-12);
  EXPECT_NEAR(ranks.sum(upper), -1.0, 1e-12);

  // The inflows cancel in sum, but not in each component.
  problem.source = steady([](double x, double, double) { return x < 0.5 ? 1.0 : -1.0; });
  EXPECT_SAYS(refusal_of(problem, multigrid(40)), "around x = 0, y = 0, z = 0");
  problem.project = true;
  auto const projected = solved(problem, multigrid(40));
  EXPECT_TRUE(projected->converged());
  EXPECT_SAYS(projected->remark(), "the same applies to 1 more");
}

/// The heat of a source inside an insulated pocket cannot leave, whatever values are given
/// elsewhere.
TEST_F(MediumMultigrid, RefusesSourcesInInsulatedPockets) {
  Problem problem = with_conductivity({13, 13, 13}, [](double, double, double) { return 2.0; });
  problem.medium.insulated.push_back(region([](double x, double y, double z) {
    double const away = std::max({std::abs(x - 0.5), std::abs(y - 0.5), std::abs(z - 0.5)});
    return away > 0.2 && away < 0.3;
  }));
  for (MethodSettings const& method : {multigrid(40), jacobi(3000)}) {
    EXPECT_SAYS(refusal_of(problem, method), "insulation separates");
    Problem projected = problem;
    projected.project = true;
    auto const solver = solved(projected, method);
    EXPECT_TRUE(method.name == "jacobi" || solver->converged());
    EXPECT_SAYS(solver->remark(), "subtracted from the source");
  }
}

/// For u = sin(2x) cos(y) e^(z/2) on ever finer grids of the same stretching, the error falls like
/// h².
TEST_F(MediumMultigrid, SecondOrderOnGradedAxes) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  auto const exact = [](double x, double y, double z) {
    return std::sin(2 * x) * std::cos(y) * std::exp(0.5 * z);
  };
  double last = 0;
  for (std::int64_t const n : {9, 17, 33}) {
    Problem problem =
        graded(box_problem(Equation::poisson, 3, {n, n, n}, {dirichlet, steady(exact)}));
    problem.boundary[{1, true}] = {neumann, steady([](double x, double y, double z) {
                                     return -std::sin(2 * x) * std::sin(y) * std::exp(0.5 * z);
                                   })};
    problem.source = steady([=](double x, double y, double z) { return 4.75 * exact(x, y, z); });
    auto const solver = solved(problem, multigrid(40, 1e-10));
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 25);
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    double const error = ranks.max(largest_error<double>(*solver, exact));
    if (last > 0) {
      EXPECT_NEAR(last / error, 4.0, 0.6);
    }
    last = error;
  }
}

struct Contrast {
  char const* name;
  std::function<double(double, double, double)> conductivity;
  std::int64_t maximum;
  double tolerance = 1e-8;
};

bool in_ball(double x, double y, double z) { return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.3; }

/// A pseudorandom number from 0 to 1 for each of 9³ blocks.
double of_block(double x, double y, double z) {
  double const number =
      std::floor(8.999 * x) + 9 * std::floor(8.999 * y) + 81 * std::floor(8.999 * z);
  double const mixed = std::sin(number * 12.9898 + 4.1) * 43758.5453;
  return mixed - std::floor(mixed);
}

/// The rise that an ordinary source causes where κ is 10⁶ is lost in the rounding of the field.
std::vector<Contrast> contrasts() {
  auto const jump = [](double ratio) {
    return [ratio](double x, double y, double z) { return in_ball(x, y, z) ? ratio : 1.0; };
  };
  auto const layers = [](double ratio) {
    return [ratio](double, double, double z) { return z < 0.37 ? ratio : 1.0; };
  };
  auto const rod = [](double ratio) {
    return [ratio](double x, double y, double) {
      return std::hypot(x - 0.4, y - 0.55) < 0.15 ? ratio : 1.0;
    };
  };
  auto const blocks = [](double x, double y, double z) {
    return of_block(x, y, z) < 0.5 ? 1000.0 : 1.0;
  };
  auto const smooth = [](double x, double y, double z) {
    return std::exp(std::log(10.0) * std::sin(3 * x) * std::cos(2 * y + z));
  };
  return {{"smooth", smooth, 8},           {"ball 100", jump(100), 15},
          {"ball 0.01", jump(0.01), 15},   {"layers 100", layers(100), 15},
          {"layers 1e6", layers(1e6), 40}, {"rod 1e6", rod(1e6), 40, 1e-6},
          {"rod 1e-6", rod(1e-6), 40},     {"ball 1e6", jump(1e6), 40, 1e-6},
          {"ball 1e-6", jump(1e-6), 40},   {"blocks 1000", blocks, 25}};
}

/// The number of cycles hardly depends on the contrast of conductivities.
TEST_F(MediumMultigrid, ConvergesForAnyContrastOfConductivities) {
  for (Extent3 const points : {Extent3{33, 33, 33}, Extent3{30, 24, 33}, Extent3{129, 100, 1}}) {
    bool const is_slow = is_sanitized || mpi::Communicator(MPI_COMM_WORLD).size() > 1;
    if (is_slow && points.x == 33) continue;
    for (auto const& [name, conductivity, maximum, tolerance] : contrasts()) {
      if (points.z == 1 && std::string(name).starts_with("layers")) continue;
      std::int64_t const taken = iterations_of(with_conductivity(points, conductivity), tolerance);
      EXPECT_LE(taken, maximum) << name << ' ' << points.x;
      RecordProperty(name, std::to_string(taken));
    }
  }
}

}  // namespace
}  // namespace isotherm::test
