#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/initial.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/oracles/problem_oracle.hpp"
#include "tests/support/solving.hpp"

// The initial field: boxes, Gaussians, and values at Dirichlet faces.

namespace isotherm::test {
namespace {

std::unique_ptr<Solver> solver_for(Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return make_solver(ranks, problem, method_for(problem, 10), execution(problem, ranks));
}

/// The largest difference between the initial field and the oracle's.
template <class Real>
double initial_difference(Problem const& problem) {
  auto const solver = solver_for(problem);
  ProblemOracle<Real> const oracle(problem, 0.0);
  std::vector<Real> const u = field_of<Real>(*solver);
  double largest = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    largest = std::fmax(largest, std::abs(static_cast<double>(u[number] - oracle.at(p))));
  });
  return largest;
}

class InitialField : public BackendTest {};

TEST_F(InitialField, LaterBoxesOverrideEarlierOnes) {
  Problem problem = box_problem(Equation::laplace, 3, {21, 18, 15}, {BoundaryKind::dirichlet, 9.0});
  problem.initial.value = steady([](double x, double y, double z) { return x - y * z; });
  problem.initial.boxes = {{{0.2, 0.1, 0.3}, {0.8, 0.6, 0.9}, 3.0},
                           {{0.5, -4.0, 0.5}, {7.0, 0.5, 1e30}, -2.0},
                           {{0.9, 0.9, 0.9}, {0.1, 0.95, 0.95}, 100.0}};

  EXPECT_EQ(initial_difference<double>(problem), 0.0);
}

TEST_F(InitialField, AddsGaussians) {
  for (int const dimension : {2, 3}) {
    Problem problem =
        box_problem(Equation::diffusion, dimension, {33, 21, dimension == 3 ? 13 : 1}, {});
    problem.initial.value = 0.5;
    problem.initial.gaussians = {{{0.3, 0.4, 0.5}, 0.1, 1.0}, {{0.6, 0.5, 0.2}, 0.25, -2.0}};
    EXPECT_LE(initial_difference<double>(problem), 1e-14);
    problem.precision = Precision::float32;
    EXPECT_LE(initial_difference<float>(problem), 1e-6);
  }
}

/// This rank's values of an initial field, evaluated without a solver.
template <class Real>
std::vector<Real> initial_values(Problem const& problem, Backend backend) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Subdomain const part(problem.grid, choose_decomposition(problem.grid, ranks.size()),
                       ranks.rank());
  Queue queue(backend);
  FieldSpace<Real> space(ranks, part, queue, {}, TransportKind::automatic);
  DistributedField<Real> field(space);
  field.fill(part.owned(), Real{-1});
  set_initial_values(problem, queue, field);
  std::vector<Real> values(static_cast<std::size_t>(part.owned().point_count()));
  field.read(values);
  return values;
}

TEST_F(InitialField, GradedGridMatchesUniformGridAtTheSamePlaces) {
  for (int const dimension : {2, 3}) {
    Problem problem =
        box_problem(Equation::diffusion, dimension, {33, 21, dimension == 3 ? 13 : 1}, {});
    problem.initial.value = steady([](double x, double y, double z) { return x - y * z; });
    problem.initial.boxes = {{{0.2, 0.1, 0.3}, {0.8, 0.6, 0.9}, 3.0},
                             {{0.5, 0.3, -1.0}, {2.0, 0.8, 2.0}, -2.0}};
    problem.initial.gaussians = {{{0.3, 0.4, 0.5}, 0.1, 1.0}, {{0.6, 0.5, 0.2}, 0.25, -2.0}};
    Problem graded = problem;
    for (int const axis : {0, dimension - 1}) {
      graded.grid = with_coordinates(graded.grid, axis, coordinates_of(problem.grid, axis));
    }
    EXPECT_EQ(initial_values<double>(graded, tested_backend()),
              initial_values<double>(problem, tested_backend()));
    EXPECT_EQ(initial_values<float>(graded, tested_backend()),
              initial_values<float>(problem, tested_backend()));
  }
}

TEST_F(InitialField, IsEvaluatedAtTheCoordinatesOfGradedAxes) {
  Problem problem = box_problem(Equation::diffusion, 2, {5, 9, 1}, {BoundaryKind::neumann, 0.0});
  std::vector<double> const along_x{0.0, 0.01, 0.1, 0.4, 1.0};
  problem.grid = with_coordinates(problem.grid, 0, along_x);
  problem.initial.gaussians = {{{0.05, 0.4, 0.0}, 0.2, 7.0}};
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Subdomain const part(problem.grid, choose_decomposition(problem.grid, ranks.size()),
                       ranks.rank());
  auto const values = initial_values<double>(problem, tested_backend());
  for_each_owned(part, [&](Index3 p, std::size_t number) {
    double const x = along_x[static_cast<std::size_t>(p.x)] - 0.05;
    double const y = static_cast<double>(p.y) / 8.0 - 0.4;
    EXPECT_NEAR(values[number], 7.0 * std::exp(-(x * x + y * y) / 0.08), 1e-14);
  });
}

TEST_F(InitialField, ClassicSquareCoversTheMiddleHalf) {
  constexpr std::int64_t n = 96;
  Problem problem = box_problem(Equation::diffusion, 2, {n, n, 1}, {BoundaryKind::periodic, {}});
  problem.initial.boxes = {{{0.25, 0.25, 0.0}, {0.75, 0.75, 0.0}, 1.0}};
  auto const solver = solver_for(problem);

  std::vector<double> const u = field_of<double>(*solver);

  std::int64_t wrong = 0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    bool const inside = p.x >= n / 4 && p.x < 3 * n / 4 && p.y >= n / 4 && p.y < 3 * n / 4;
    if (u[number] != (inside ? 1.0 : 0.0)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(InitialField, EdgesHaveTheValueOfTheFirstDirichletFace) {
  Problem problem = box_problem(Equation::laplace, 3, {5, 6, 7}, {});
  for (Face const face : faces(problem.grid)) {
    problem.boundary[face].value = static_cast<double>(face.index() + 1);
  }
  problem.boundary[x_upper].kind = BoundaryKind::neumann;
  auto const solver = solver_for(problem);

  std::vector<double> const u = field_of<double>(*solver);

  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const wanted = p.x == 0   ? 1.0
                          : p.y == 0 ? 3.0
                          : p.y == 5 ? 4.0
                          : p.z == 0 ? 5.0
                          : p.z == 6 ? 6.0
                                     : 0.0;
    EXPECT_EQ(u[number], wanted) << p.x << ' ' << p.y << ' ' << p.z;
  });
}

TEST_F(InitialField, NonFiniteValueIsRefusedOnEveryRank) {
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.initial.value = steady([](double x, double y, double) { return 1.0 / (x - 0.5) + y; });
  try {
    (void)solver_for(problem);
    ADD_FAILURE() << "a field that is not finite was taken";
  } catch (ValueRefusal const& error) {
    EXPECT_NE(std::string(error.what())
                  .find("the initial value is not a finite number in float64 at x = 0.5"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(error.key(), "initial.value");
  }
}

TEST_F(InitialField, RefusalNamesTheFaceWithANonFiniteValue) {
  for (BoundaryKind const kind : {BoundaryKind::dirichlet, BoundaryKind::neumann}) {
    Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
    set_axis(problem, 1, {kind, steady([](double x, double y, double) { return y / (x - 0.5); })});
    try {
      (void)solver_for(problem);
      ADD_FAILURE() << "a value that is not finite was taken";
    } catch (ValueRefusal const& error) {
      EXPECT_EQ(error.key().find("boundary.y_"), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find("the value of the face y_"), std::string::npos);
    }
  }
}

TEST_F(InitialField, MayBeUndefinedOnDirichletFaces) {
  Problem problem = box_problem(Equation::poisson, 2, {9, 9, 1}, {});
  problem.initial.value = steady([](double x, double, double) { return std::log(x); });
  problem.source = steady([](double x, double, double) { return 1.0 / x; });

  EXPECT_NO_THROW((void)solver_for(problem));
}

TEST_F(InitialField, SourceCanBeReadBack) {
  Problem problem = box_problem(Equation::poisson, 3, {9, 8, 7}, {BoundaryKind::dirichlet, 1.0});
  problem.precision = Precision::float32;
  auto const f = [](double x, double y, double z) { return x - 2.0 * y * z; };
  problem.source = steady(f);
  problem.boundary[x_lower] = {BoundaryKind::neumann, 4.0};  // must not affect f
  auto const solver = solver_for(problem);
  std::vector<float> found(field_of<float>(*solver).size());

  solver->read_source(std::span(found));

  Grid const& grid = problem.grid;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const wanted =
        f(grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z));
    EXPECT_EQ(found[number], static_cast<float>(wanted));
  });
}

}  // namespace
}  // namespace isotherm::test
