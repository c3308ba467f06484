#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "solver/discretise/boundary.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/problem_oracle.hpp"
#include "tests/support/rounding.hpp"
#include "tests/support/solving.hpp"

namespace isotherm::test {
namespace {

/// What lies at the two ends of an axis.
struct Ends {
  BoundaryKind lower, upper;
};
constexpr std::array<Ends, 5> all_ends{{{BoundaryKind::dirichlet, BoundaryKind::dirichlet},
                                        {BoundaryKind::neumann, BoundaryKind::neumann},
                                        {BoundaryKind::periodic, BoundaryKind::periodic},
                                        {BoundaryKind::dirichlet, BoundaryKind::neumann},
                                        {BoundaryKind::neumann, BoundaryKind::dirichlet}}};

/// Extents: thin, prime, one past what sweeps take at once.
constexpr std::array<Extent3, 5> extents_2d{
    {{3, 3, 1}, {17, 31, 1}, {33, 4, 1}, {131, 67, 1}, {5, 65, 1}}};
constexpr std::array<Extent3, 5> extents_3d{
    {{3, 3, 3}, {7, 13, 11}, {33, 5, 9}, {67, 17, 6}, {19, 18, 35}}};

struct Case {
  Equation equation;
  int dimension;
  Precision precision;
  int number;  ///< 0 … 24: which ends the axes have, so that all pairs of axes meet all pairs
  bool changes_in_time;
};

/// A smooth value that differs from face to face.
ScalarFunction face_value(int face, bool changes_in_time) {
  double const phase = 0.3 * face;
  if (changes_in_time && face % 2 == 0) {
    return varying([phase](double x, double y, double z, double t) {
      return std::cos(x + 2.0 * y - z + phase + 40.0 * t);
    });
  }
  return steady(
      [phase](double x, double y, double z) { return std::sin(2.0 * x - y + z + phase); });
}

void set_boundary(Problem& problem, std::array<std::size_t, 3> const& ends, bool changes_in_time) {
  for (int face = 0; face < 2 * problem.grid.dimension; ++face) {
    Ends const& both = all_ends[ends[static_cast<std::size_t>(face / 2)]];
    BoundaryCondition& condition = problem.boundary[static_cast<std::size_t>(face)];
    condition.kind = face % 2 == 0 ? both.lower : both.upper;
    if (condition.kind != BoundaryKind::periodic) {
      condition.value = face_value(face, changes_in_time);
    }
  }
}

void set_source(Problem& problem, bool changes_in_time) {
  if (problem.equation == Equation::laplace) return;
  auto const f = [](double x, double y, double z, double t) {
    return 3.0 * std::cos(3.0 * x + y) - z + std::sin(30.0 * t);
  };
  problem.source = changes_in_time
                       ? varying(f)
                       : steady([f](double x, double y, double z) { return f(x, y, z, 0.0); });
}

Problem problem_of(Case const& c) {
  auto const number = static_cast<std::size_t>(c.number);
  std::array<std::size_t, 3> const ends{number % 5, number / 5,
                                        (number % 5 + 2 * (number / 5)) % 5};
  std::array<bool, 3> periodic{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(c.dimension); ++axis) {
    periodic[axis] = all_ends[ends[axis]].lower == BoundaryKind::periodic;
  }
  Problem problem;
  problem.equation = c.equation;
  problem.precision = c.precision;
  problem.diffusivity = 0.7;
  problem.grid =
      make_grid(c.dimension, c.dimension == 2 ? extents_2d[number % 5] : extents_3d[number % 5],
                {-0.5, 0.25, 1.0}, {0.5, 1.75, 3.0}, periodic);
  set_boundary(problem, ends, c.changes_in_time);
  set_source(problem, c.changes_in_time);
  problem.initial.value = steady([](double x, double y, double z) { return x * y + 0.5 * z * x; });
  problem.initial.boxes = {{{-0.2, 0.5, 1.5}, {0.3, 1.25, 2.5}, -1.5}};
  return problem;
}

double largest_value(auto const& values) {
  double largest = 0.0;
  for (auto const value : values)
    largest = std::fmax(largest, std::abs(static_cast<double>(value)));
  return largest;
}

/// Residuals of every fourth iteration, so that checks fall inside passes of several steps.
template <class Real>
void expect_residuals(std::vector<Residual> const& found, std::vector<double> const& wanted,
                      ProblemOracle<Real> const& oracle, Norm norm) {
  EXPECT_EQ(found.size(), wanted.size());
  double const per_value = rounding_tolerance<Real>(largest_value(oracle.values()), 12.0);
  for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
    EXPECT_EQ(found[i].iteration, static_cast<std::int64_t>(4 * i));
    double const sums_differ = norm == Norm::max ? 0.0 : 1e-12 * wanted[i];
    EXPECT_NEAR(found[i].value, wanted[i], oracle.residual_factor() * per_value + sums_differ);
  }
}

constexpr std::int64_t sweeps = 11;

template <class Real>
void expect_oracle(Problem const& problem, MethodSettings method, SweepPlan const& plan) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution how = execution(problem, ranks);
  how.plan = plan.name;
  ProblemOracle<Real> oracle(problem, method.time_step_s);
  std::vector<double> residuals;

  auto const solver = make_solver(ranks, problem, method, how);
  solver->advance_to(sweeps);
  std::vector<Real> const u = field_of<Real>(*solver);

  for (std::int64_t step = 0; step < sweeps; ++step) {
    oracle.step();
    if (step % method.check_every == 0) residuals.push_back(oracle.residual(method.norm));
  }
  double difference = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const here =
        std::abs(static_cast<double>(u[number]) - static_cast<double>(oracle.at(p)));
    difference = here <= difference ? difference : here;
  });
  EXPECT_LE(difference,
            rounding_tolerance<Real>(largest_value(oracle.values()), static_cast<double>(sweeps)));
  expect_residuals(solver->take_residuals(), residuals, oracle, method.norm);
}

class SolverAgainstOracle : public OnTestedBackend<testing::TestWithParam<Case>> {};

TEST_P(SolverAgainstOracle, EveryPlanLeavesTheFieldAndResidualsOfAPlainLoop) {
  Case const c = GetParam();
  Problem const problem = problem_of(c);
  if (c.equation != Equation::diffusion && !has_dirichlet_face(problem)) {
    EXPECT_THROW(check_solvable(problem, jacobi(1)), InputError);
    return;
  }
  MethodSettings method = method_for(problem, sweeps);
  method.check_every = 4;
  method.norm = c.number % 2 == 0 ? Norm::l2 : Norm::max;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Subdomain const share(problem.grid, choose_decomposition(problem.grid, ranks.size()),
                        ranks.rank());
  int const most = c.changes_in_time ? 1 : deepest_halo(problem, share);

  for (SweepPlan const& plan : plans(problem)) {
    if (plan.steps > most) continue;
    SCOPED_TRACE(plan.name);
    c.precision == Precision::float32 ? expect_oracle<float>(problem, method, plan)
                                      : expect_oracle<double>(problem, method, plan);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int const dimension : {2, 3})
    for (Precision const precision : {Precision::float32, Precision::float64})
      for (int number = 0; number < 25; ++number) {
        all.push_back({Equation::laplace, dimension, precision, number, false});
        all.push_back({Equation::poisson, dimension, precision, number, false});
        all.push_back({Equation::diffusion, dimension, precision, number, false});
        all.push_back({Equation::diffusion, dimension, precision, number, true});
      }
  return all;
}

std::string ends_name(std::size_t ends) {
  constexpr std::array<char const*, 5> names{"DD", "NN", "PP", "DN", "ND"};
  return names[ends];
}

std::string case_name(testing::TestParamInfo<Case> const& info) {
  Case const& c = info.param;
  auto const number = static_cast<std::size_t>(c.number);
  std::string const z = c.dimension == 3 ? ends_name((number % 5 + 2 * (number / 5)) % 5) : "";
  return std::string(name(c.equation)) + std::to_string(c.dimension) + "D_" + name(c.precision) +
         "_" + ends_name(number % 5) + ends_name(number / 5) + z +
         (c.changes_in_time ? "_in_time" : "");
}

INSTANTIATE_TEST_SUITE_P(Mixes, SolverAgainstOracle, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace isotherm::test
