#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/direct_solutions.hpp"

// The method "direct": exact discrete solutions, agreement with multigrid for all kinds of faces,
// and refusals.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Direct = BackendTest;

/// The kinds of the faces of an axis, lower and upper.
constexpr std::array<std::array<BoundaryKind, 2>, 5> pairs{{{dirichlet, dirichlet},
                                                            {neumann, neumann},
                                                            {dirichlet, neumann},
                                                            {neumann, dirichlet},
                                                            {periodic, periodic}}};

/// Returns a Poisson problem with this pair of faces on each axis, and values that vary.
Problem problem_between(int dimension, Extent3 points, PerAxis<int> const& pair) {
  Problem problem =
      box_problem(Equation::poisson, dimension, points, {dirichlet, 0.0}, {1, 1.3, 0.8});
  PerAxis<bool> wraps{false, false, false};
  for (int axis = 0; axis < dimension; ++axis) {
    auto const& kinds = pairs[static_cast<std::size_t>(pair[axis])];
    wraps[axis] = kinds[0] == periodic;
  }
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1, 1.3, 0.8}, wraps);
  for (int axis = 0; axis < dimension; ++axis) {
    auto const& kinds = pairs[static_cast<std::size_t>(pair[axis])];
    for (bool const upper : {false, true}) {
      BoundaryCondition& condition = problem.boundary[{axis, upper}];
      condition.kind = kinds[upper ? 1 : 0];
      condition.value = condition.kind == dirichlet
                            ? steady([](double x, double y, double z) { return x + 2 * y * z; })
                            : ScalarFunction(0.3);
    }
  }
  problem.source = steady(
      [](double x, double y, double z) { return std::cos(5 * x) + std::sin(3 * y + 1) + z; });
  problem.project = true;  // the source need not be compatible
  problem.mean = 0.7;
  return problem;
}

TEST_F(Direct, AgreesWithMultigridForAnyFacesIn2D) {
  int number = 0;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y, ++number) {
      // Some numbers of intervals suit fast Fourier transforms, others do not.
      Extent3 const points{9 + number % 7, 10 + number % 5, 1};
      expect_agreement(problem_between(2, points, {x, y, 0}),
                       std::to_string(x) + ' ' + std::to_string(y));
    }
  }
}

TEST_F(Direct, AgreesWithMultigridForAnyFacesIn3D) {
  int number = 0;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      for (int z = 0; z < 5; z += 2, ++number) {
        Extent3 const points{6 + number % 4, 7 + number % 3, 6 + number % 5};
        expect_agreement(problem_between(3, points, {x, y, z}),
                         std::to_string(x) + ' ' + std::to_string(y) + ' ' + std::to_string(z));
      }
    }
  }
}

/// The difference quotients are exact for cubic polynomials.
TEST_F(Direct, SolvesCubicPolynomialsOnGridsOfAnySize) {
  auto const exact = [](double x, double y, double z) {
    return x * x * x - 3 * x * y * y + 2 * y * y - 5 * z * z + z * x;
  };
  auto const solve = [&](int dimension, Extent3 points) {
    Problem problem = box_problem(Equation::poisson, dimension, points, {dirichlet, steady(exact)});
    problem.source = ScalarFunction(dimension == 3 ? -4.0 + 10.0 : -4.0);
    auto const solver = solved(problem, direct(1e-11));
    EXPECT_TRUE(solver->converged()) << points.x << ' ' << points.y << ' ' << points.z;
    EXPECT_LE(solver->iteration(), 2) << points.x << ' ' << points.y << ' ' << points.z;
    double const error =
        mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact));
    EXPECT_LT(error, 1e-10) << points.x << ' ' << points.y << ' ' << points.z;
  };
  for (std::int64_t n = 3; n <= 41; ++n) solve(2, {n, 44 - n, 1});
  for (Extent3 const points : {Extent3{3, 3, 3}, {4, 30, 5}, {13, 8, 21}, {65, 4, 4}, {5, 6, 98}}) {
    solve(3, points);
  }
}

/// One solution is exact up to rounding, and the residual proves it.
TEST_F(Direct, ConvergesInOneIteration) {
  Problem problem = problem_between(3, {33, 28, 23}, {0, 2, 1});
  auto const solver = solved(problem, direct(1e-9));
  EXPECT_TRUE(solver->converged());
  EXPECT_EQ(solver->iteration(), 1);
  auto const exact = solved(problem, direct(1e-13));
  auto const error = solver->state().last_residual->error;
  ASSERT_TRUE(error);
  EXPECT_LE(difference(*solver, *exact), 20.0 * *error * solver->state().last_residual->range);
}

TEST_F(Direct, ReproducesDiscreteEigenmodes) {
  constexpr std::int64_t n = 25;
  Problem problem = box_problem(Equation::poisson, 2, {n, n, 1}, {dirichlet, 0.0});
  auto const mode = [](double x, double y, double) {
    return std::sin(3 * std::numbers::pi * x) * std::sin(5 * std::numbers::pi * y);
  };
  double const h = 1.0 / (n - 1);
  auto const eigenvalue = [&](double k) {
    double const sine = std::sin(0.5 * std::numbers::pi * k * h);
    return 4.0 * sine * sine / (h * h);
  };
  double const sum = eigenvalue(3) + eigenvalue(5);
  problem.source = steady([=](double x, double y, double z) { return sum * mode(x, y, z); });
  auto const solver = solved(problem, direct(1e-12));
  EXPECT_LT(largest_error<double>(*solver, mode), 1e-13);
}

/// Graded axes, Robin faces, and a conductivity for each axis.
TEST_F(Direct, AgreesWithMultigridInSeparableMedia) {
  for (int dimension : {2, 3}) {
    for (int robin_axis = 0; robin_axis < dimension; ++robin_axis) {
      Problem problem = problem_between(dimension, {17, 14, dimension == 3 ? 12 : 1}, {0, 2, 1});
      problem.boundary[{robin_axis, false}] = {robin, 2.0, 3.0};
      problem.medium.conductivity = {2.0, 0.5, 1.5};
      std::vector<double> places;
      for (int i = 0; i < 14; ++i) places.push_back(1.3 * i * (i + 13) / (13.0 * 26.0));
      problem.grid = with_coordinates(problem.grid, 1, places);
      expect_agreement(problem, std::to_string(dimension) + ' ' + std::to_string(robin_axis));
    }
  }
}

/// Returns a box without given values: a graded axis, conductivities along the axes, and fluxes.
Problem insulated_box(int dimension, Extent3 points) {
  Problem problem = problem_between(dimension, points, {1, 1, 1});
  problem.medium.conductivity = {2.0, 0.5, 1.5};
  std::vector<double> places;
  places.reserve(static_cast<std::size_t>(points.y));
  auto const last = static_cast<double>(points.y - 1);
  for (std::int64_t i = 0; i < points.y; ++i) {
    auto const at = static_cast<double>(i);
    places.push_back(1.3 * at * (at + last) / (2.0 * last * last));
  }
  problem.grid = with_coordinates(problem.grid, 1, places);
  return problem;
}

/// The solution is unique up to a constant, which the mean determines.
TEST_F(Direct, AgreesWithMultigridInMediaWithoutGivenValues) {
  for (int const dimension : {2, 3}) {
    // Sizes for which the graded axis is dense, and tridiagonal.
    for (std::int64_t const n : {17, 30}) {
      Problem problem = insulated_box(dimension, {n, 14, dimension == 3 ? 12 : 1});
      expect_agreement(problem, "graded, " + std::to_string(n));
      problem.grid = problem_between(dimension, problem.grid.points, {1, 1, 1}).grid;
      expect_agreement(problem, "equal gaps, " + std::to_string(n));
    }
    Problem problem = problem_between(dimension, {17, 14, dimension == 3 ? 12 : 1}, {4, 1, 1});
    make_isotropic(problem, steady([](double, double y, double) { return y < 0.7 ? 1.0 : 30.0; }));
    expect_agreement(problem, "layers");
  }
  expect_agreement(insulated_box(3, {33, 34, 32}), "distributed");
}

/// Returns the heat content of the solver's field. Collective.
double heat_of(Solver& solver, Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        return EnergyMeter<Real>(ranks, solver.queue(), solver.subdomain(), problem).heat(field);
      },
      solver.field_view());
}

/// Steps that are 10⁶ times as long as the stable one keep the heat of an insulated medium.
TEST_F(Direct, LongStepsKeepTheHeatOfInsulatedMedia) {
  for (std::int64_t const n : {17, 30}) {
    Problem problem = insulated_box(3, {n, 14, 12});
    problem.equation = Equation::diffusion;
    problem.project = false;
    problem.source = 0.0;
    problem.medium.capacity = 3.0;
    for (BoundaryCondition& condition : problem.boundary) condition.value = 0.0;
    problem.initial.value = steady([](double x, double y, double z) { return x * y + z * z; });
    expect_same_steps(problem, std::to_string(n));
    MethodSettings method;
    method.name = "crank_nicolson";
    method.direct_steps = true;
    method.iterations = 8;
    method.time_step_s = 1e3;
    method.check_every = 1;
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
    double const before = heat_of(*solver, problem);
    solver->advance_to(method.iterations);
    EXPECT_NEAR(heat_of(*solver, problem), before, 1e-10 * std::abs(before)) << n;
  }
}

/// Large grids are distributed among the ranks, small ones are solved by each rank.
TEST_F(Direct, AgreesWithMultigridOnDistributedGrids) {
  expect_agreement(problem_between(3, {33, 40, 26}, {0, 2, 4}), "3D");
  expect_agreement(problem_between(3, {34, 27, 37}, {1, 1, 1}), "3D without given values");
  expect_agreement(problem_between(2, {203, 181, 1}, {3, 0, 0}), "2D");
  Problem problem = problem_between(3, {29, 31, 40}, {2, 0, 3});
  problem.boundary[{2, false}] = {robin, 1.0, 2.0};
  problem.medium.conductivity = {1.0, 3.0, 0.5};
  expect_agreement(problem, "separable medium");
}

/// A diffusion problem in a box, with faces and a source that vary in time.
Problem diffusion_between(int dimension, Extent3 points, PerAxis<int> const& pair) {
  Problem problem = problem_between(dimension, points, pair);
  problem.equation = Equation::diffusion;
  problem.project = false;
  problem.source = varying([](double x, double y, double, double t) { return x - y + 3 * t; });
  problem.initial.value = steady([](double x, double y, double z) { return x * y + z; });
  return problem;
}

TEST_F(Direct, TakesTheImplicitStepsOfMultigrid) {
  std::vector<Problem> problems{diffusion_between(2, {18, 17, 1}, {0, 2, 0}),
                                diffusion_between(3, {10, 9, 11}, {1, 4, 1}),
                                diffusion_between(3, {33, 32, 34}, {1, 0, 3})};
  problems.push_back(diffusion_between(2, {17, 14, 1}, {0, 3, 0}));
  problems.back().medium.conductivity = {2.0, 0.5, 1.0};
  problems.back().boundary[{0, true}] = {robin, 2.0, 3.0};
  for (Problem const& problem : problems) {
    expect_same_steps(problem, std::to_string(problem.grid.points.x) + ' ' +
                                   std::to_string(problem.grid.points.z));
  }
}

/// Without values that vary in time a step adds its change. The rate of that is evaluated by a
/// check before the step, or by the step itself.
TEST_F(Direct, AddsTheChangesOfSteps) {
  for (PerAxis<int> const& pair : {PerAxis<int>{0, 2, 3}, PerAxis<int>{4, 3, 1}}) {
    Problem problem = diffusion_between(3, {16, 13, 12}, pair);
    problem.source = steady([](double x, double y, double) { return x - y; });
    expect_same_steps(problem, "steady source");
    MethodSettings method;
    method.name = "crank_nicolson";
    method.direct_steps = true;
    method.iterations = 8;
    method.time_step_s = 5.0;  // the last steps change nothing but rounding
    method.check_every = 1;
    auto const checked = solved(problem, method);
    method.check_every = 3;
    auto const seldom = solved(problem, method);
    EXPECT_EQ(checked->iteration(), 8);
    EXPECT_EQ(difference(*checked, *seldom), 0.0);
  }
}

TEST_F(Direct, SolvesInFloat32) {
  Problem problem = problem_between(3, {17, 19, 16}, {0, 1, 4});
  problem.precision = Precision::float32;
  auto const solver = solved(problem, direct(1e-5));
  EXPECT_TRUE(solver->converged());
  Problem wide = problem;
  wide.precision = Precision::float64;
  auto const exact = solved(wide, direct(1e-11));
  std::vector<float> const a = field_of<float>(*solver);
  std::vector<double> const b = field_of<double>(*exact);
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  EXPECT_LT(largest, 1e-5);
}

TEST_F(Direct, RefusesProblemsThatAreNotSeparable) {
  auto const refusal = [](Problem const& problem) -> std::string {
    try {
      (void)solved(problem, direct());
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  Problem problem = plates(2, {9, 9, 1}, 0);
  fill(problem, box_region({0.2, 0.2, -1}, {0.6, 0.6, 1}), 5.0);
  EXPECT_NE(refusal(problem).find("coefficients vary"), std::string::npos) << refusal(problem);
  problem = plates(2, {9, 9, 1}, 0);
  problem.medium.insulated.push_back(box_region({0.2, 0.2, -1}, {0.6, 0.6, 1}));
  EXPECT_NE(refusal(problem).find("[[insulated]] region"), std::string::npos) << refusal(problem);
  problem = plates(2, {9, 9, 1}, 0);
  FixedRegion fluid{box_region({0.2, 0.2, -1}, {0.6, 0.6, 1}), 0.0};
  fluid.film_coefficient = 2.5;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  EXPECT_NE(refusal(problem).find("[[insulated]] region with [[convection]]"), std::string::npos)
      << refusal(problem);
}

}  // namespace
}  // namespace isotherm::test
