#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/problem/conditions.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/direct_solutions.hpp"

// Direct solutions of distributed grids equal those of one rank up to rounding: for uneven parts,
// any decomposition, and every transport.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using DirectOnRanks = BackendTest;

constexpr double allowed = 1e-12;  // of the range of the field

/// A problem with a name for messages.
struct Named {
  std::string name;
  Problem problem;
};

ScalarFunction smooth_source() {
  return steady(
      [](double x, double y, double z) { return std::cos(5 * x) + std::sin(3 * y + 1) + z; });
}

/// Poisson's equation with a kind of face on each axis, and values that vary over Dirichlet faces.
Problem between(int dimension, Extent3 points, PerAxis<BoundaryKind> const& kinds) {
  Problem problem =
      box_problem(Equation::poisson, dimension, points, {dirichlet, 0.0}, {1, 1.3, 0.8});
  PerAxis<bool> const wraps{kinds[0] == periodic, kinds[1] == periodic,
                            dimension == 3 && kinds[2] == periodic};
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1, 1.3, 0.8}, wraps);
  auto const values = steady([](double x, double y, double z) { return x + 2 * y * z; });
  for (int axis = 0; axis < dimension; ++axis) {
    bool const is_given = kinds[axis] == dirichlet;
    set_axis(problem, axis, {kinds[axis], is_given ? values : ScalarFunction(0.0)});
  }
  problem.source = smooth_source();
  problem.project = true;
  problem.mean = 0.3;
  return problem;
}

/// Grids that 2, 3 and 4 ranks cut into uneven parts. They are large enough to be distributed.
std::vector<Named> problems() {
  std::vector<Named> all;
  all.push_back({"fast transforms", between(3, {33, 37, 31}, {dirichlet, neumann, dirichlet})});
  all.push_back({"no given values", between(3, {35, 30, 37}, {neumann, periodic, neumann})});
  all.push_back({"2D", between(2, {211, 163, 1}, {dirichlet, neumann, dirichlet})});
  Problem layers = between(3, {33, 29, 41}, {dirichlet, dirichlet, dirichlet});
  make_isotropic(layers, steady([](double, double y, double) { return y < 0.6 ? 1.0 : 100.0; }));
  all.push_back({"layers along y", layers});
  Problem separable = between(3, {31, 35, 34}, {dirichlet, neumann, dirichlet});
  std::vector<double> places;
  places.reserve(35);
  for (int i = 0; i < 35; ++i) places.push_back(1.3 * i * (i + 34) / (34.0 * 68.0));
  separable.grid = with_coordinates(separable.grid, 1, places);
  separable.boundary[{0, true}] = {robin, 1.0, 2.0};
  separable.medium.conductivity = {2.0, 0.5, 1.5};
  all.push_back({"graded axis and films", separable});
  Problem wall = between(3, {33, 31, 38}, {neumann, periodic, neumann});
  wall.boundary[{2, true}] = {robin, 1.0, 2.0};
  std::vector<double> depths;
  for (int k = 0; k < 38; ++k) depths.push_back(0.8 * k * (k + 37) / (37.0 * 74.0));
  wall.grid = with_coordinates(wall.grid, 2, depths);
  wall.medium.conductivity = {2.0, 0.5, 1.5};
  all.push_back({"graded lines that end in a film", wall});
  // Slabs are too thin for lines to be cut if there are more than two ranks.
  all.push_back({"thin slabs", between(3, {65, 65, 9}, {periodic, neumann, dirichlet})});
  return all;
}

/// Returns the field of a solver whose only rank is this one, x fastest.
std::vector<double> field_of_one_rank(Problem const& problem, MethodSettings const& method) {
  mpi::Communicator const alone = mpi::Communicator::self();
  Execution where = execution(problem, alone);
  mpi::Communicator const all(MPI_COMM_WORLD);
  int const devices = cuda_device_count();
  where.device = devices > 0 ? all.local_rank() % devices : 0;
  auto const solver = make_solver(alone, problem, method, where);
  solver->advance_to(method.iterations);
  return field_of<double>(*solver);
}

/// Returns the largest difference from a field of the whole grid on any rank, relative to the range
/// of that field.
/// @param mine  the values of the solver on this rank
double difference_from(std::vector<double> const& whole, Solver& solver,
                       std::vector<double> const& mine) {
  Extent3 const n = solver.subdomain().grid().points;
  double largest = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    double const d =
        std::abs(mine[number] - whole[static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x)]);
    if (!(d <= largest)) largest = d;
  });
  auto const [lower, upper] = std::ranges::minmax(whole);
  return mpi::Communicator(MPI_COMM_WORLD).max(largest) / (upper - lower);
}

double difference_from(std::vector<double> const& whole, Solver& solver) {
  return difference_from(whole, solver, field_of<double>(solver));
}

/// Returns the solver of all ranks after its last iteration; null if the transport does not work
/// here.
std::unique_ptr<Solver> solved_by(Problem const& problem, MethodSettings const& method,
                                  Extent3 parts, TransportKind transport) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution where = execution(problem, ranks);
  where.parts = parts;
  where.transport = transport;
  try {
    auto solver = make_solver(ranks, problem, method, where);
    solver->advance_to(method.iterations);
    return solver;
  } catch (TransportRefusal const&) {
    return nullptr;
  }
}

/// Returns the decompositions of a grid: across one axis each, and across two if possible.
std::vector<Extent3> decompositions(int dimension, int ranks) {
  std::vector<Extent3> all{{ranks, 1, 1}, {1, ranks, 1}};
  if (dimension == 3) all.push_back({1, 1, ranks});
  if (ranks % 2 == 0 && ranks > 2) all.push_back({ranks / 2, 2, 1});
  return all;
}

TEST_F(DirectOnRanks, EqualOneRankForAnyDecomposition) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  for (auto const& [what, problem] : problems()) {
    ASSERT_EQ(obstacle_to_direct(problem), "") << what;
    MethodSettings const method = direct(1e-12);
    std::vector<double> const whole = field_of_one_rank(problem, method);
    for (Extent3 const parts : decompositions(problem.grid.dimension, ranks)) {
      auto const solver = solved_by(problem, method, parts, TransportKind::automatic);
      EXPECT_TRUE(solver->converged()) << what;
      EXPECT_LT(difference_from(whole, *solver), allowed)
          << what << ", " << parts.x << " x " << parts.y << " x " << parts.z;
    }
  }
}

/// In slabs the first solution is written into the field, whose given values must remain. A field
/// that starts from a constant other than 0 gets a correction instead.
TEST_F(DirectOnRanks, SlabsSolveIntoTheField) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  for (PerAxis<BoundaryKind> const& kinds :
       {PerAxis<BoundaryKind>{dirichlet, neumann, dirichlet}, {dirichlet, dirichlet, periodic}}) {
    Problem problem = between(3, {34, 37, 31}, kinds);
    auto const solver = solved_by(problem, direct(1e-12), {1, 1, ranks}, TransportKind::automatic);
    problem.initial.value = 0.7;
    auto const corrected =
        solved_by(problem, direct(1e-12), {1, 1, ranks}, TransportKind::automatic);
    EXPECT_TRUE(solver->converged() && corrected->converged());
    std::vector<double> const mine = field_of<double>(*solver);
    std::vector<double> const other = field_of<double>(*corrected);
    Grid const& grid = problem.grid;
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
      EXPECT_NEAR(mine[number], other[number], 1e-12);
      if (p.x > 0 && p.x < grid.points.x - 1) return;
      double const x = grid.coordinate(0, p.x);
      EXPECT_DOUBLE_EQ(mine[number], x + 2 * grid.coordinate(1, p.y) * grid.coordinate(2, p.z));
    });
  }
}

/// Lines along the last axis remain cut by slabs, unless slabs are thin, or lines may be singular
/// or closed.
TEST_F(DirectOnRanks, CutLinesOfTridiagonalSystems) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  auto const cut_axis = [&](Problem const& problem) {
    SeparableOperator const op = separable_operator(problem, tested_backend(), ranks);
    return cuts_lines(problem, op, ranks) ? op.tridiagonal : -1;
  };
  EXPECT_EQ(cut_axis(between(3, {33, 33, 33}, {dirichlet, neumann, dirichlet})), 2);
  EXPECT_EQ(cut_axis(between(3, {33, 33, 33}, {periodic, dirichlet, neumann})), 2);
  EXPECT_EQ(cut_axis(between(2, {257, 129, 1}, {dirichlet, neumann, dirichlet})), 1);
  EXPECT_EQ(cut_axis(between(3, {33, 33, 33}, {neumann, periodic, neumann})), -1);
  EXPECT_EQ(cut_axis(between(3, {33, 33, 33}, {dirichlet, dirichlet, periodic})), -1);
  EXPECT_EQ(cut_axis(between(3, {65, 65, 9}, {dirichlet, neumann, dirichlet})),
            ranks == 2 ? 2 : -1);
}

/// Each length of a step has other systems.
TEST_F(DirectOnRanks, DividedStepsEqualThoseOfOneRank) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  Problem problem = between(3, {33, 32, 33}, {dirichlet, neumann, dirichlet});
  problem.equation = Equation::diffusion;
  problem.project = false;
  problem.diffusivity = 0.1;
  problem.initial.value = steady([](double x, double y, double z) { return x * y + z; });
  MethodSettings method;
  method.name = "crank_nicolson";
  method.direct_steps = true;
  method.iterations = 2;
  method.time_step_s = 0.02;
  method.check_every = 1;
  method.step_tolerance = 1e-12;
  method.adaptive.tolerance = 1e-2;
  std::vector<double> const whole = field_of_one_rank(problem, method);
  auto const solver = solved_by(problem, method, {1, 1, ranks}, TransportKind::automatic);
  EXPECT_LT(difference_from(whole, *solver), allowed);
}

/// Fields in float32 differ by their rounding.
TEST_F(DirectOnRanks, EqualOneRankInFloat32) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  Problem problem = problems().front().problem;
  std::vector<double> const whole = field_of_one_rank(problem, direct(1e-12));
  problem.precision = Precision::float32;
  auto const solver = solved_by(problem, direct(1e-4), {1, 1, ranks}, TransportKind::automatic);
  EXPECT_TRUE(solver->converged());
  std::vector<float> const single = field_of<float>(*solver);
  EXPECT_LT(difference_from(whole, *solver, std::vector<double>(single.begin(), single.end())),
            1e-6);
}

TEST_F(DirectOnRanks, EqualOneRankByEveryTransport) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  Problem const problem = problems().front().problem;
  MethodSettings const method = direct(1e-12);
  std::vector<double> const whole = field_of_one_rank(problem, method);
  int working = 0;
  for (TransportKind const kind : transport_kinds) {
    // Slabs across x have to be exchanged before the transforms, too.
    for (Extent3 const parts : {Extent3{1, 1, ranks}, Extent3{ranks, 1, 1}}) {
      auto const solver = solved_by(problem, method, parts, kind);
      if (!solver) continue;
      ++working;
      EXPECT_LT(difference_from(whole, *solver), allowed) << name(kind);
    }
  }
  EXPECT_GE(working, 2 * 2);  // automatic and staged work everywhere
}

TEST_F(DirectOnRanks, ImplicitStepsEqualThoseOfOneRank) {
  int const ranks = mpi::Communicator(MPI_COMM_WORLD).size();
  for (auto [what, problem] : problems()) {
    if (!has_given_values(problem)) continue;
    problem.equation = Equation::diffusion;
    problem.project = false;
    problem.diffusivity = 0.1;
    problem.initial.value = steady([](double x, double y, double z) { return x * y + z; });
    for (char const* const name : {"backward_euler", "crank_nicolson"}) {
      MethodSettings method;
      method.name = name;
      method.direct_steps = true;
      method.iterations = 3;
      method.time_step_s = 0.02;
      method.check_every = 1;
      method.step_tolerance = 1e-12;
      std::vector<double> const whole = field_of_one_rank(problem, method);
      auto const solver = solved_by(problem, method, {1, ranks, 1}, TransportKind::automatic);
      EXPECT_LT(difference_from(whole, *solver), allowed) << what << ", " << name;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
