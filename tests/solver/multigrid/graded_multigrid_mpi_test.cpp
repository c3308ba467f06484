#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

// Multigrid for heterogeneous media on axes whose gaps differ by a factor of 100: it takes as many
// cycles as on uniform axes.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class GradedMultigrid : public BackendTest {};

MethodSettings multigrid(double tolerance = 1e-8) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 100;
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

/// The sequence of gaps along an axis.
enum class Gaps { equal, geometric, tanh_lower, tanh_upper, tanh_both };

/// Ratio of the widest to the narrowest gap.
constexpr double ratio = 100.0;

/// Returns the relative gap at a fraction of the axis.
double gap_at(Gaps gaps, double share) {
  // 1 / cosh² equals 1 / ratio at this argument.
  double const far = std::acosh(std::sqrt(ratio));
  switch (gaps) {
    case Gaps::equal:
      return 1.0;
    case Gaps::geometric:
      return std::pow(ratio, share);
    case Gaps::tanh_lower:
      return std::pow(std::cosh(far * (1 - share)), -2);
    case Gaps::tanh_upper:
      return std::pow(std::cosh(far * share), -2);
    case Gaps::tanh_both:
      return std::pow(std::cosh(far * (2 * share - 1)), -2);
  }
  return 1.0;
}

std::vector<double> coordinates(Gaps gaps, std::int64_t points) {
  std::vector<double> all{0.0};
  for (std::int64_t i = 0; i + 1 < points; ++i) {
    all.push_back(all.back() +
                  gap_at(gaps, static_cast<double>(i) / static_cast<double>(points - 2)));
  }
  double const length = all.back();
  for (double& coordinate : all) coordinate /= length;
  return all;
}

Problem on_axes(Problem problem, PerAxis<Gaps> const& gaps) {
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (gaps[axis] == Gaps::equal) continue;
    problem.grid =
        with_coordinates(problem.grid, axis, coordinates(gaps[axis], problem.grid.points[axis]));
  }
  return problem;
}

double alike(double /*x*/, double /*y*/, double /*z*/) { return 1.0; }
double ball(double x, double y, double z) {
  return std::hypot(x - 0.5, y - 0.5, z) < 0.3 ? 100.0 : 1.0;
}

struct Case {
  char const* name;
  Extent3 points;
  PerAxis<Gaps> gaps;
  std::function<double(double, double, double)> conductivity;
  std::int64_t maximum;
  bool periodic_y = false;
};

std::vector<Case> cases() {
  using enum Gaps;
  return {
      {"equal 2D", {129, 100, 1}, {equal, equal}, alike, 7},
      {"geometric 2D", {129, 100, 1}, {geometric, geometric}, alike, 8},
      {"tanh lower and both 2D", {129, 100, 1}, {tanh_lower, tanh_both}, alike, 8},
      {"tanh upper 2D", {131, 97, 1}, {equal, tanh_upper}, alike, 10},
      {"ball 2D", {129, 100, 1}, {tanh_both, geometric}, ball, 12},
      {"ball in primes 2D", {131, 97, 1}, {tanh_upper, tanh_lower}, ball, 12},
      {"round a cylinder 2D", {131, 64, 1}, {geometric, equal}, alike, 10, true},
      {"shared levels 2D", {513, 301, 1}, {tanh_lower, geometric}, ball, 12},
      {"equal 3D", {33, 33, 33}, {equal, equal, equal}, alike, 7},
      {"geometric 3D", {33, 33, 33}, {geometric, geometric, geometric}, alike, 9},
      {"tanh 3D", {33, 34, 37}, {tanh_lower, tanh_upper, tanh_both}, alike, 9},
      {"one axis 3D", {33, 30, 41}, {equal, equal, tanh_lower}, alike, 10},
      {"ball 3D", {33, 33, 33}, {tanh_both, tanh_both, tanh_lower}, ball, 12},
      {"pipe 3D", {31, 32, 37}, {tanh_lower, equal, geometric}, ball, 12, true},
  };
}

Problem problem_of(Case const& chosen) {
  int const dimension = chosen.points.z > 1 ? 3 : 2;
  Problem problem = box_problem(Equation::poisson, dimension, chosen.points, {dirichlet, 0.0});
  if (chosen.periodic_y) {
    problem.grid = make_grid(dimension, chosen.points, {0, 0, 0}, {1, 1, 1}, {false, true, false});
    set_axis(problem, 1, {periodic});
  }
  problem.boundary[{0, true}] = {neumann, 0.5};
  problem = on_axes(problem, chosen.gaps);
  problem.source =
      steady([](double x, double y, double z) { return std::exp(x) * std::sin(3 * y + z) + 1; });
  make_isotropic(problem, steady(chosen.conductivity));
  return problem;
}

TEST_F(GradedMultigrid, AsManyCyclesAsOnUniformAxes) {
  for (Case const& chosen : cases()) {
    auto const solver = solved(problem_of(chosen), multigrid());
    EXPECT_TRUE(solver->converged()) << chosen.name;
    EXPECT_LE(solver->iteration(), chosen.maximum) << chosen.name;
    RecordProperty(chosen.name, std::to_string(solver->iteration()));
  }
}

/// The solution does not depend on the number of levels. Such a small grid is also solved by
/// inverting its operator.
TEST_F(GradedMultigrid, MatchesTheDirectSolution) {
  Problem problem = everything(Equation::poisson, Precision::float64, 2);
  problem.grid = make_grid(2, {32, 30, 1}, {0, 0, 0}, {1, 1, 1}, {});
  problem = on_axes(problem, {Gaps::tanh_both, Gaps::geometric});
  MethodSettings method = multigrid(1e-11);
  method.multigrid.coarsest = 32;
  auto const wanted = solved(problem, method);
  EXPECT_LE(wanted->iteration(), 5);
  method.multigrid.coarsest = 5;
  auto const found = solved(problem, method);
  EXPECT_TRUE(wanted->converged() && found->converged());
  EXPECT_GT(found->iteration(), wanted->iteration());
  EXPECT_LE(found->iteration(), 20);
  EXPECT_LE(difference<double>(*wanted, *found), 1e-8);
}

/// A solver whose levels are shared by the ranks finds the field of a single rank, in as many
/// cycles.
void expect_same_alone(Problem const& problem, std::vector<Extent3> const& ways) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  mpi::Communicator const alone(MPI_COMM_SELF);
  MethodSettings const method = multigrid(1e-10);
  Execution where = execution(problem, ranks);
  where.parts = {1, 1, 1};
  auto const whole = make_solver(alone, problem, method, where);
  whole->advance_to(method.iterations);
  EXPECT_TRUE(whole->converged());
  std::vector<double> const all = field_of<double>(*whole);
  Extent3 const n = problem.grid.points;
  for (Extent3 const parts : ways) {
    where.parts = parts;
    auto const shared = make_solver(ranks, problem, method, where);
    shared->advance_to(method.iterations);
    EXPECT_EQ(shared->iteration(), whole->iteration());
    std::vector<double> const mine = field_of<double>(*shared);
    double largest = 0;
    for_each_owned(shared->subdomain(), [&](Index3 p, std::size_t number) {
      auto const at = static_cast<std::size_t>(p.x + n.x * (p.y + n.y * p.z));
      double const error = std::abs(mine[number] - all[at]);
      largest = std::isnan(largest) || error <= largest ? largest : error;
    });
    EXPECT_LE(largest, 1e-9);
  }
}

/// Covers levels that follow the coarse points, that are redistributed, and that every rank holds;
/// axes that are graded, uniform or closed; decomposed along them or not.
TEST_F(GradedMultigrid, SameSolutionForEveryDecomposition) {
  using enum Gaps;
  std::int64_t const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  if (ranks == 1) return;  // there is only one decomposition
  expect_same_alone(problem_of({"", {300, 211, 1}, {tanh_lower, geometric}, ball, 0}),
                    {{1, ranks, 1}, {ranks, 1, 1}});
  expect_same_alone(problem_of({"", {29, 36, 67}, {geometric, equal, tanh_both}, ball, 0, true}),
                    {{1, 1, ranks}, {1, ranks, 1}});
}

}  // namespace
}  // namespace isotherm::test
