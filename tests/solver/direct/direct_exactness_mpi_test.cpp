#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "solver/direct/axis_operator.hpp"
#include "solver/problem/conditions.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/direct_solutions.hpp"
#include "tests/support/sanitized.hpp"

// Direct solutions against known ones, for every pair of faces: discrete eigenmodes, which are
// reproduced up to rounding, and manufactured solutions, which converge with the second order.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using DirectExactness = BackendTest;

/// A function of one coordinate, with its first derivatives.
struct Profile {
  std::function<double(double)> value;
  std::function<double(double)> slope;
  std::function<double(double)> curvature;
};

/// The kinds of the faces of an axis of length 1, lower and upper, and the modes between them.
struct Ends {
  std::array<BoundaryKind, 2> kinds;
  double first_half_waves;  ///< of the longest mode used here
  double step;              ///< half waves from one mode to the next
  bool is_sine;
};
constexpr std::array<Ends, 5> all_ends{{{{dirichlet, dirichlet}, 1.0, 1.0, true},
                                        {{neumann, neumann}, 1.0, 1.0, false},
                                        {{dirichlet, neumann}, 0.5, 1.0, true},
                                        {{neumann, dirichlet}, 0.5, 1.0, false},
                                        {{periodic, periodic}, 2.0, 2.0, true}}};

/// Returns Poisson's equation on the unit square or cube with these ends of the axes, all of whose
/// values are 0.
Problem problem_between(int dimension, Extent3 points, PerAxis<int> const& ends) {
  Problem problem = box_problem(Equation::poisson, dimension, points, {dirichlet, 0.0});
  PerAxis<bool> wraps{false, false, false};
  for (int axis = 0; axis < dimension; ++axis) {
    auto const& kinds = all_ends[static_cast<std::size_t>(ends[axis])].kinds;
    wraps[axis] = kinds[0] == periodic;
    for (bool const upper : {false, true}) {
      problem.boundary[{axis, upper}] = {kinds[upper ? 1 : 0], 0.0};
    }
  }
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1, 1, 1}, wraps);
  problem.project = true;  // sums of a source may differ from 0 by rounding
  return problem;
}

/// Solves −∇²u = λ q for a product q of modes along the axes, and expects q.
void expect_mode(int dimension, Extent3 points, PerAxis<int> const& ends, int number) {
  Problem problem = problem_between(dimension, points, ends);
  double eigenvalue = 0.0;
  PerAxis<double> half_waves{0, 0, 0};
  for (int axis = 0; axis < dimension; ++axis) {
    Ends const& of_axis = all_ends[static_cast<std::size_t>(ends[axis])];
    half_waves[axis] = of_axis.first_half_waves + (number + axis) * of_axis.step;
    double const h = problem.grid.spacing[axis];
    double const sine = std::sin(0.5 * std::numbers::pi * half_waves[axis] * h);
    eigenvalue += 4.0 * sine * sine / (h * h);
  }
  auto const mode = [=](double x, double y, double z) {
    PerAxis<double> const at{x, y, z};
    double product = 1.0;
    for (int axis = 0; axis < dimension; ++axis) {
      double const phase = std::numbers::pi * half_waves[axis] * at[axis];
      bool const is_sine = all_ends[static_cast<std::size_t>(ends[axis])].is_sine;
      product *= is_sine ? std::sin(phase) : std::cos(phase);
    }
    return product;
  };
  problem.source = steady([=](double x, double y, double z) { return eigenvalue * mode(x, y, z); });
  auto const solver = solved(problem, direct(1e-12));
  std::string const what = std::to_string(ends[0]) + ' ' + std::to_string(ends[1]) + ' ' +
                           std::to_string(ends[2]) + ", mode " + std::to_string(number);
  EXPECT_TRUE(solver->converged()) << what;
  double const error = mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, mode));
  EXPECT_LT(error, 1e-12) << what;
}

/// Along some axes there are fast transforms, along others dense ones or tridiagonal systems.
TEST_F(DirectExactness, ReproducesDiscreteEigenmodesBetweenAnyFaces) {
  // Ranks that share cores mostly wait for each other.
  int const every = mpi::Communicator(MPI_COMM_WORLD).size() > 1 ? 4 : 1;
  int number = 0;
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y, ++number) {
      expect_mode(2, {25 - number % 3, 24 + number % 4, 1}, {x, y, 0}, number % 6);
      for (int z = 0; z < 5; ++z) {
        if ((number + z) % every != 0) continue;
        expect_mode(3, {9 + z, 12 - z, 10 + number % 3}, {x, y, z}, (number + z) % 3);
      }
    }
  }
}

/// Returns a smooth function of an axis. Periodic ones repeat after a length of 1.
Profile profile(bool wraps) {
  constexpr double wave = 2.0 * std::numbers::pi;
  if (wraps) {
    return {[](double s) { return 1.5 + std::sin(wave * s); },
            [](double s) { return wave * std::cos(wave * s); },
            [](double s) { return -wave * wave * std::sin(wave * s); }};
  }
  return {[](double s) { return std::exp(0.7 * s) + 0.5 * std::cos(2.0 * s + 0.3); },
          [](double s) { return 0.7 * std::exp(0.7 * s) - std::sin(2.0 * s + 0.3); },
          [](double s) { return 0.49 * std::exp(0.7 * s) - 2.0 * std::cos(2.0 * s + 0.3); }};
}

/// The kinds of faces of an axis with manufactured solutions; those of Ends, and Robin faces.
constexpr std::array<std::array<BoundaryKind, 2>, 8> face_pairs{{{dirichlet, dirichlet},
                                                                 {neumann, neumann},
                                                                 {dirichlet, neumann},
                                                                 {neumann, dirichlet},
                                                                 {periodic, periodic},
                                                                 {robin, dirichlet},
                                                                 {neumann, robin},
                                                                 {robin, robin}}};

/// Returns the condition that X(x) Y(y) satisfies on a face.
BoundaryCondition condition_of(BoundaryKind kind, Profile const& x, Profile const& y, Face face) {
  constexpr double film = 1.5;
  auto const value = [=](double a, double b, double) { return x.value(a) * y.value(b); };
  double const sign = face.upper ? 1.0 : -1.0;
  auto const derivative = [=](double a, double b, double) {
    return sign * (face.axis == 0 ? x.slope(a) * y.value(b) : x.value(a) * y.slope(b));
  };
  if (kind == neumann) return {kind, steady(derivative)};
  if (kind == robin) {
    // u' = h (u_outside − u) on the face, along its normal
    return {kind, steady([=](double a, double b, double c) {
              return value(a, b, c) + derivative(a, b, c) / film;
            }),
            film};
  }
  if (kind == dirichlet) return {kind, steady(value)};
  return {kind, 0.0};
}

/// Returns the largest error of a manufactured solution on a grid of n intervals. Without given
/// values, of the field up to a constant.
double manufactured_error(PerAxis<int> const& pair, std::int64_t intervals) {
  PerAxis<bool> wraps{false, false, false};
  Extent3 points{1, 1, 1};
  for (int axis = 0; axis < 2; ++axis) {
    wraps[axis] = face_pairs[static_cast<std::size_t>(pair[axis])][0] == periodic;
    points[axis] = intervals + (wraps[axis] ? 0 : 1);
  }
  Profile const x = profile(wraps[0]);
  Profile const y = profile(wraps[1]);
  Problem problem = box_problem(Equation::poisson, 2, points, {dirichlet, 0.0});
  problem.grid = make_grid(2, points, {0, 0, 0}, {1, 1, 1}, wraps);
  for (int axis = 0; axis < 2; ++axis) {
    for (bool const upper : {false, true}) {
      BoundaryKind const kind = face_pairs[static_cast<std::size_t>(pair[axis])][upper ? 1 : 0];
      problem.boundary[{axis, upper}] = condition_of(kind, x, y, {axis, upper});
    }
  }
  problem.source = steady([=](double a, double b, double) {
    return -(x.curvature(a) * y.value(b) + x.value(a) * y.curvature(b));
  });
  problem.project = true;
  EXPECT_EQ(obstacle_to_direct(problem), "");
  auto const solver = solved(problem, direct(1e-11));
  EXPECT_TRUE(solver->converged());
  std::vector<double> const u = field_of<double>(*solver);
  double largest = -infinity;
  double smallest = infinity;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const error = u[number] - x.value(problem.grid.coordinate(0, p.x)) *
                                         y.value(problem.grid.coordinate(1, p.y));
    largest = std::max(largest, error);
    smallest = std::min(smallest, error);
  });
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  largest = ranks.max(largest);
  smallest = -ranks.max(-smallest);
  return has_given_values(problem) ? std::max(largest, -smallest) : 0.5 * (largest - smallest);
}

TEST_F(DirectExactness, ManufacturedSolutionsConvergeWithTheSecondOrder) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      double const coarse = manufactured_error({x, y, 0}, 24);
      double const fine = manufactured_error({x, y, 0}, 48);
      double const order = std::log2(coarse / fine);
      EXPECT_GT(order, 1.9) << x << ' ' << y << ": " << coarse << " -> " << fine;
      EXPECT_LT(order, 2.1) << x << ' ' << y << ": " << coarse << " -> " << fine;
    }
  }
}

/// A tolerance close to rounding is reached, and claimed with reason.
TEST_F(DirectExactness, ReachesATolerance1em12) {
  // Difference quotients are exact for cubic polynomials.
  auto const exact = [](double x, double y, double z) {
    return x * x * x - 3 * x * y * y + 2 * y * y - 5 * z * z + z * x;
  };
  for (Extent3 const points : {Extent3{33, 34, 31}, {257, 130, 1}, {29, 60, 17}}) {
    int const dimension = points.z > 1 ? 3 : 2;
    for (bool const is_medium : {false, true}) {
      Problem problem =
          box_problem(Equation::poisson, dimension, points, {dirichlet, steady(exact)});
      problem.source = ScalarFunction(dimension == 3 ? -4.0 + 10.0 : -4.0);
      if (is_medium) {
        make_isotropic(problem, 2.0);
        problem.source.constant *= 2.0;
      }
      for (Norm const norm : {Norm::l2, Norm::max}) {
        MethodSettings method = direct(1e-12);
        method.norm = norm;
        auto const solver = solved(problem, method);
        EXPECT_TRUE(solver->converged()) << points.x;
        EXPECT_LE(solver->iteration(), 3) << points.x;
        auto const error = solver->state().last_residual->error;
        ASSERT_TRUE(error) << points.x;
        EXPECT_LE(*error, 1e-12) << points.x;
        double const range = solver->state().last_residual->range;
        double const found =
            mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact));
        EXPECT_LT(found, 3e-12 * range) << points.x;
      }
    }
  }
}

/// Planning counts at most three values per point in addition to the field: the source, the
/// residual and the correction.
TEST_F(DirectExactness, NeedsThreeValuesPerPointBesideTheField) {
  mpi::Communicator const alone = mpi::Communicator::self();
  MethodSettings const method = direct();
  for (Extent3 const points : {Extent3{513, 513, 513}, {8193, 8193, 1}}) {
    int const dimension = points.z > 1 ? 3 : 2;
    Problem problem = box_problem(Equation::poisson, dimension, points, {dirichlet, 0.0});
    problem.source = 1.0;
    Execution const where = execution(problem, alone);
    SolverPlan const plan = plan_solver(alone, problem, method, where);
    auto const bytes = static_cast<double>(solver_bytes(problem, method, plan));
    // The ghost layers and the padding of rows take a tenth more.
    auto const values = bytes / (sizeof(double) * static_cast<double>(problem.grid.point_count()));
    EXPECT_LT(values, 1.1 * 4.0);
    EXPECT_GT(values, 4.0);
  }
}

}  // namespace
}  // namespace isotherm::test
