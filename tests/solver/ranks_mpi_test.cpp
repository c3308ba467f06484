#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

/// A run gives the same bits with every decomposition and every sweep plan.
namespace isotherm::test {
namespace {

/// A problem without symmetry: mixed boundaries, an inhomogeneous source and derivative, unequal
/// spacings.
Problem mixed_problem(Equation equation, int dimension, Extent3 points) {
  Problem problem;
  problem.equation = equation;
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1.0, 0.7, 1.2}, {false, true, false});
  set_axis(problem, 1, {BoundaryKind::periodic, {}});
  problem.boundary[x_lower] = {BoundaryKind::dirichlet, steady([](double, double y, double z) {
                                 return std::sin(9.0 * y) + z;
                               })};
  problem.boundary[x_upper] = {BoundaryKind::neumann,
                               steady([](double, double y, double z) { return std::cos(y) - z; })};
  problem.boundary[z_lower] = {BoundaryKind::neumann, 0.75};
  problem.boundary[z_upper] = {BoundaryKind::dirichlet, -0.5};
  if (equation != Equation::laplace) {
    problem.source = steady([](double x, double y, double z) { return std::exp(x * y) - z; });
  }
  problem.initial.value = steady([](double x, double y, double z) {
    return std::sin(31.0 * x + 17.0 * y) + std::cos(23.0 * y - 5.0 * z);
  });
  problem.initial.gaussians = {{{0.4, 0.3, 0.6}, 0.1, 2.0}};
  return problem;
}

template <class Real>
struct Outcome {
  std::vector<Real> field;  ///< owned values
  Subdomain share;
  std::vector<Residual> residuals;
};

template <class Real>
Outcome<Real> run(mpi::Communicator const& ranks, Problem const& problem, Execution const& how,
                  std::int64_t iterations) {
  MethodSettings method = method_for(problem, iterations);
  method.check_every = 7;
  method.norm = Norm::max;
  auto const solver = make_solver(ranks, problem, method, how);
  solver->advance_to(iterations);
  return {field_of<Real>(*solver), solver->subdomain(), solver->take_residuals()};
}

/// Runs the problem on this rank alone.
template <class Real>
Outcome<Real> run_alone(Problem const& problem, std::string const& plan, std::int64_t iterations) {
  mpi::Communicator const self(MPI_COMM_SELF);
  Execution how = execution(problem, self);
  how.plan = plan;
  return run<Real>(self, problem, how, iterations);
}

template <class Real>
void expect_same_bits(Outcome<Real> const& part, Outcome<Real> const& whole) {
  Extent3 const n = whole.share.extent();
  std::int64_t different = 0;
  for_each_owned(part.share, [&](Index3 p, std::size_t number) {
    Real const wanted = whole.field[static_cast<std::size_t>(p.x + n.x * (p.y + n.y * p.z))];
    if (!(part.field[number] == wanted)) ++different;
  });
  EXPECT_EQ(different, 0);
  EXPECT_EQ(part.residuals.size(), whole.residuals.size());
  for (std::size_t i = 0; i < std::min(part.residuals.size(), whole.residuals.size()); ++i) {
    EXPECT_EQ(part.residuals[i].iteration, whole.residuals[i].iteration);
    EXPECT_EQ(part.residuals[i].value, whole.residuals[i].value);
  }
}

/// All decompositions of a grid into `ranks` parts.
std::vector<Extent3> decompositions(int ranks, int dimension) {
  std::vector<Extent3> all;
  for (std::int64_t x = 1; x <= ranks; ++x)
    for (std::int64_t y = 1; x * y <= ranks; ++y) {
      std::int64_t const z = ranks / (x * y);
      if (x * y * z == ranks && (dimension == 3 || z == 1)) all.push_back({x, y, z});
    }
  return all;
}

template <class Real>
void expect_every_decomposition_equal(Equation equation, int dimension) {
  Problem problem =
      mixed_problem(equation, dimension, dimension == 2 ? Extent3{67, 53, 1} : Extent3{37, 26, 29});
  problem.precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
  constexpr std::int64_t iterations = 31;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Outcome<Real> const whole = run_alone<Real>(problem, "plain", iterations);
  for (Extent3 const parts : decompositions(ranks.size(), dimension)) {
    SCOPED_TRACE(std::to_string(parts.x) + "x" + std::to_string(parts.y) + "x" +
                 std::to_string(parts.z));
    Execution how = execution(problem, ranks);
    how.parts = parts;
    expect_same_bits(run<Real>(ranks, problem, how, iterations), whole);
  }
}

class AnyDecomposition : public BackendTest {};

TEST_F(AnyDecomposition, SameBitsAsOneRankIn2D) {
  expect_every_decomposition_equal<float>(Equation::poisson, 2);
  expect_every_decomposition_equal<double>(Equation::diffusion, 2);
}
TEST_F(AnyDecomposition, SameBitsAsOneRankIn3D) {
  expect_every_decomposition_equal<float>(Equation::diffusion, 3);
  expect_every_decomposition_equal<double>(Equation::laplace, 3);
}

TEST_F(AnyDecomposition, SameBitsAsOneRankWithOnePointPerRank) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  std::int64_t const n = std::max(ranks.size(), 2);
  Problem const problem = mixed_problem(Equation::poisson, 3, {9, 8, n});
  Execution how = execution(problem, ranks);
  how.parts = {1, 1, ranks.size()};

  auto const part = run<double>(ranks, problem, how, 15);

  expect_same_bits(part, run_alone<double>(problem, "plain", 15));
}

TEST_F(AnyDecomposition, SameBitsAsOneRankWithTimeDependentValues) {
  Problem problem = mixed_problem(Equation::diffusion, 2, {29, 31, 1});
  problem.boundary[x_lower].value =
      varying([](double, double y, double, double t) { return std::sin(5.0 * y + 900.0 * t); });
  problem.boundary[x_upper].value =
      varying([](double, double y, double, double t) { return std::cos(3.0 * y - 700.0 * t); });
  problem.source =
      varying([](double x, double y, double, double t) { return std::sin(x - y + 500.0 * t); });
  mpi::Communicator const ranks(MPI_COMM_WORLD);

  auto const part = run<double>(ranks, problem, execution(problem, ranks), 31);

  expect_same_bits(part, run_alone<double>(problem, "auto", 31));
}

class AnyPlan : public BackendTest {};

template <class Real>
void expect_every_plan_equal(Equation equation, int dimension) {
  Problem problem = mixed_problem(equation, dimension,
                                  dimension == 2 ? Extent3{150, 131, 1} : Extent3{67, 45, 70});
  problem.precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
  constexpr std::int64_t iterations = 39;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Outcome<Real> const plain = run_alone<Real>(problem, "plain", iterations);
  Execution how = execution(problem, ranks);
  int const maximum = deepest_halo(problem, Subdomain(problem.grid, how.parts, ranks.rank()));
  for (SweepPlan const& plan : plans(problem)) {
    if (plan.steps > maximum) continue;
    SCOPED_TRACE(plan.name);
    how.plan = plan.name;
    expect_same_bits(run<Real>(ranks, problem, how, iterations), plain);
  }
}

TEST_F(AnyPlan, SameBitsAsThePlainPlanIn2D) {
  expect_every_plan_equal<float>(Equation::diffusion, 2);
  expect_every_plan_equal<double>(Equation::poisson, 2);
}
TEST_F(AnyPlan, SameBitsAsThePlainPlanIn3D) {
  expect_every_plan_equal<float>(Equation::laplace, 3);
  expect_every_plan_equal<double>(Equation::diffusion, 3);
}

TEST_F(AnyPlan, IsRefusedIfItsHaloExceedsANeighboursPart) {
  Problem const problem = mixed_problem(Equation::poisson, 3, {9, 8, 9});
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution how = execution(problem, ranks);
  int const maximum = deepest_halo(problem, Subdomain(problem.grid, how.parts, ranks.rank()));
  EXPECT_LE(maximum, 8);
  for (SweepPlan const& plan : plans(problem)) {
    how.plan = plan.name;
    if (plan.steps > maximum) {
      EXPECT_THROW(make_solver(ranks, problem, jacobi(1), how), InputError) << plan.name;
    } else {
      EXPECT_EQ(make_solver(ranks, problem, jacobi(1), how)->plan().name, plan.name);
    }
  }
  how.plan = "auto";
  EXPECT_LE(sweep_plan_for(ranks, problem, how).steps, maximum);
}

}  // namespace
}  // namespace isotherm::test
