#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/cpu/splitmix64.hpp"
#include "kernels/core/error.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/problem/time_steps.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// Random separable problems: direct solutions agree with those of multigrid. The problems have all
// pairs of faces, numbers of points with and without fast transforms, thin grids, graded axes, a
// conductivity for each axis, and time steps.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using RandomDirect = BackendTest;

constexpr int problem_count = is_sanitized ? 20 : 200;  // on one rank
constexpr double allowed = 1e-10;                       // of the range of the field

/// A sequence of pseudo-random numbers that is the same with every compiler (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Returns a number in [lower, upper).
  double between(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  /// Returns a whole number from 0 to count − 1.
  int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
  /// Returns true once in `times` calls on average.
  bool once_in(int times) { return below(times) == 0; }

 private:
  std::uint64_t next() { return splitmix64(std::exchange(state_, state_ + splitmix64_step)); }

  std::uint64_t state_;
};

/// Returns a smooth function whose values are of the order of 1.
ScalarFunction random_function(Random& random) {
  PerAxis<double> waves;
  PerAxis<double> amplitudes;
  for (int axis = 0; axis < 3; ++axis) {
    waves[axis] = random.between(0.5, 6.0);
    amplitudes[axis] = random.between(-1.0, 1.0);
  }
  return steady([=](double x, double y, double z) {
    return amplitudes[0] * std::cos(waves[0] * x + y) + amplitudes[1] * std::sin(waves[1] * y + z) +
           amplitudes[2] * std::cos(waves[2] * z - x);
  });
}

/// Returns numbers of points from 1 to 40, not too many together: cubes, long and thin grids.
Extent3 random_points(Random& random, int dimension) {
  constexpr std::int64_t most = 6000;
  constexpr std::array<int, 8> primes{2, 3, 5, 7, 13, 23, 31, 37};
  Extent3 points{1, 1, 1};
  do {
    for (int axis = 0; axis < dimension; ++axis) {
      bool const is_prime = random.once_in(3);
      points[axis] = is_prime ? primes[static_cast<std::size_t>(random.below(8))] + random.below(2)
                              : 2 + random.below(39);
    }
    if (random.once_in(8)) points[random.below(dimension)] = 1;
  } while (points.x * points.y * points.z > most || points.x * points.y * points.z == 1);
  return points;
}

/// Returns the condition of a face. Periodic axes have none.
BoundaryCondition random_condition(Random& random, bool with_robin) {
  BoundaryCondition condition;
  int const kind = random.below(with_robin ? 3 : 2);
  condition.kind = std::array{dirichlet, neumann, robin}[static_cast<std::size_t>(kind)];
  condition.value =
      condition.kind == dirichlet ? random_function(random) : random.between(-1.0, 1.0);
  if (condition.kind == robin) condition.coefficient = random.between(0.1, 5.0);
  return condition;
}

/// Returns ascending coordinates on [0, length] whose gaps differ by up to 4 : 1.
std::vector<double> random_places(Random& random, std::int64_t count, double length) {
  std::vector<double> places{0.0};
  for (std::int64_t i = 1; i < count; ++i) {
    places.push_back(places.back() + random.between(0.25, 1.0));
  }
  for (double& place : places) place *= length / places.back();
  places.back() = length;
  return places;
}

/// Gives the problem graded axes and a conductivity along each axis.
void vary_medium(Random& random, Problem& problem) {
  Grid& grid = problem.grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    problem.medium.conductivity[axis] = random.between(0.3, 3.0);
    if (grid.periodic[axis] || grid.points[axis] < 3 || !random.once_in(2)) continue;
    double const length = grid.length(axis);
    grid = with_coordinates(grid, axis, random_places(random, grid.points[axis], length));
  }
}

/// Returns a steady problem.
Problem random_problem(Random& random) {
  int const dimension = 2 + random.below(2);
  Extent3 const points = random_points(random, dimension);
  bool const varied = random.once_in(2);
  PerAxis<double> lengths{1.0, 1.0, 1.0};
  PerAxis<bool> wraps{};
  for (int axis = 0; axis < dimension; ++axis) {
    // Spacings differ by up to 3 : 1, but the numbers of points by more.
    lengths[axis] = random.between(0.5, 1.5) *
                    static_cast<double>(std::max<std::int64_t>(points[axis], 2)) / 20.0;
    wraps[axis] = points[axis] == 1 || (points[axis] > 2 && random.once_in(5));
  }
  Problem problem;
  problem.equation = Equation::poisson;
  problem.grid = make_grid(dimension, points, {0, 0, 0}, lengths, wraps);
  for (int axis = 0; axis < dimension; ++axis) {
    for (bool const upper : {false, true}) {
      BoundaryCondition& condition = problem.boundary[{axis, upper}];
      if (wraps[axis]) {
        condition.kind = periodic;
      } else {
        condition = random_condition(random, varied && points[axis] > 1);
      }
    }
  }
  if (varied) vary_medium(random, problem);
  // Random faces often give no values. That is tested, but not in most problems.
  Face const given{random.below(dimension), random.once_in(2)};
  if (random.once_in(2) && !wraps[given.axis])
    problem.boundary[given] = {dirichlet, random_function(random)};
  if (!random.once_in(4)) problem.source = random_function(random);
  problem.project = true;
  problem.mean = random.between(-1.0, 1.0);
  return problem;
}

/// Turns the problem into one of two or three time steps, whose last one may be shorter.
MethodSettings make_steps(Random& random, Problem& problem) {
  problem.equation = Equation::diffusion;
  problem.project = false;
  problem.diffusivity = random.between(0.2, 2.0);
  problem.initial.value = random_function(random);
  MethodSettings method;
  method.name = random.once_in(2) ? "backward_euler" : "crank_nicolson";
  method.time_step_s = std::exp(random.between(std::log(1e-3), std::log(10.0)));
  method.end_time_s = random.between(1.2, 2.9) * method.time_step_s;
  method.times_s = {0.4 * *method.end_time_s};
  method.check_every = 1;
  method.step_tolerance = 1e-13;
  lay_out_steps(method);
  return method;
}

/// Returns the settings of a steady method.
MethodSettings steady_method(std::string const& name) {
  MethodSettings method = cycles(1e-12);
  method.name = name;
  return method;
}

std::string description(int number, Problem const& problem, MethodSettings const& method) {
  std::ostringstream text;
  text << "problem " << number << ": " << method.name;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    text << ' ' << problem.grid.points[axis] << ' ' << name(problem.boundary[{axis, false}].kind)
         << ' ' << name(problem.boundary[{axis, true}].kind)
         << (problem.grid.is_graded(axis) ? " graded" : "") << " k "
         << problem.medium.conductivity[axis].constant << ';';
  }
  return text.str();
}

/// Returns the largest difference of two fields, relative to the range of the first.
double relative_difference(Solver& one, Solver& other) {
  std::vector<double> const a = field_of<double>(one);
  std::vector<double> const b = field_of<double>(other);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  double difference = 0.0;
  double largest = -infinity;
  double smallest = infinity;
  for (std::size_t n = 0; n < a.size(); ++n) {
    double const d = std::abs(a[n] - b[n]);
    if (!(d <= difference)) difference = d;
    largest = std::max(largest, a[n]);
    smallest = std::min(smallest, a[n]);
  }
  double const range = ranks.max(largest) + ranks.max(-smallest);
  difference = ranks.max(difference);
  // A field may be constant.
  return difference / std::max(range, ranks.max(std::max(largest, -smallest)));
}

TEST_F(RandomDirect, AgreesWithMultigrid) {
  Random random(2026);
  // Ranks that share cores mostly wait for each other.
  int const every = mpi::Communicator(MPI_COMM_WORLD).size() > 1 ? 4 : 1;
  for (int number = 0; number < problem_count; ++number) {
    Problem problem = random_problem(random);
    bool const in_time = number % 3 == 2;
    MethodSettings by_cycles = in_time ? make_steps(random, problem) : steady_method("multigrid");
    MethodSettings directly = in_time ? by_cycles : steady_method("direct");
    directly.direct_steps = in_time;
    if (number % every != 0) continue;
    EXPECT_EQ(obstacle_to_direct(problem), "") << number;
    std::string const what = description(number, problem, directly);
    try {
      auto const one = solved(problem, directly);
      auto const other = solved(problem, by_cycles);
      EXPECT_LT(relative_difference(*one, *other), allowed)
          << what << " (" << one->iteration() << ", " << other->iteration() << " iterations)";
    } catch (Error const& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace isotherm::test
