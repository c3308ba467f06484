#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/given/given_value.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/oracles/problem_oracle.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// Multigrid for constant coefficients: convergence, order, restarts and refusals.

namespace isotherm::test {
namespace {

MethodSettings multigrid(double tolerance, std::int64_t cycles = 50) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = cycles;
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

/// Dirichlet, Neumann or periodic ends of an axis: "dd", "dn", "nd", "nn", "pp".
using Ends = std::string;

BoundaryKind kind_of(char letter) {
  return letter == 'd'   ? BoundaryKind::dirichlet
         : letter == 'n' ? BoundaryKind::neumann
                         : BoundaryKind::periodic;
}

Problem mixed_problem(Extent3 points, std::vector<Ends> const& ends,
                      PerAxis<double> upper = {1, 1, 1}) {
  int const dimension = static_cast<int>(ends.size());
  PerAxis<bool> periodic{};
  Problem problem;
  problem.equation = Equation::poisson;
  for (int axis = 0; axis < dimension; ++axis) {
    Ends const& both = ends[static_cast<std::size_t>(axis)];
    periodic[axis] = both[0] == 'p';
    for (bool const at_upper : {false, true}) {
      BoundaryCondition& face = problem.boundary[{axis, at_upper}];
      face.kind = kind_of(both[at_upper ? 1 : 0]);
      if (face.kind == BoundaryKind::periodic) continue;
      face.value = steady([axis](double x, double y, double z) {
        return std::cos(2.0 * x - y + 0.5 * z + 0.3 * axis);
      });
    }
  }
  problem.grid = make_grid(dimension, points, {0, 0, 0}, upper, periodic);
  problem.source = steady(
      [](double x, double y, double z) { return std::exp(x) * std::sin(3.0 * y + z) + 1.0; });
  return problem;
}

std::unique_ptr<Solver> solver_of(mpi::Communicator const& ranks, Problem const& problem,
                                  MethodSettings const& method) {
  return make_solver(ranks, problem, method, execution(problem, ranks));
}

/// The whole field on every rank.
template <class Real>
std::vector<Real> gathered(mpi::Communicator const& ranks, Solver& solver) {
  Extent3 const n = solver.subdomain().grid().points;
  std::vector<Real> const mine = field_of<Real>(solver);
  std::vector<Real> whole(static_cast<std::size_t>(n.x * n.y * n.z));
  for (std::string const& part : ranks.all_gather([&] {
         GlobalBox const box = solver.subdomain().owned_global();
         std::string bytes(reinterpret_cast<char const*>(&box), sizeof box);
         return bytes.append(reinterpret_cast<char const*>(mine.data()),
                             mine.size() * sizeof(Real));
       }())) {
    GlobalBox box;
    std::memcpy(&box, part.data(), sizeof box);
    std::size_t at = sizeof box;
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i, at += sizeof(Real)) {
          std::memcpy(&whole[static_cast<std::size_t>(i + n.x * (j + n.y * k))], part.data() + at,
                      sizeof(Real));
        }
  }
  return whole;
}

/// Returns the root mean square of f + ∇²u over the unknown points, by plain loops in float64.
template <class Real>
double residual_of(Problem problem, std::vector<Real> const& field) {
  problem.precision = Precision::float64;
  Extent3 const n = problem.grid.points;
  problem.initial = {};
  problem.initial.value = steady([&, n](double x, double y, double z) {
    auto const index = [&](int axis, double at) {
      return std::llround((at - problem.grid.lower[axis]) / problem.grid.spacing[axis]);
    };
    return static_cast<double>(field[static_cast<std::size_t>(
        index(0, x) +
        n.x * (index(1, y) + n.y * (problem.grid.dimension == 3 ? index(2, z) : 0)))]);
  });
  ProblemOracle<double> oracle(problem, 0.0);
  oracle.step();
  return oracle.residual(Norm::l2);
}

/// Returns the residual of a field that is constant, at a value given by the faces, except for its
/// boundary values.
double residual_of_constant(Problem const& problem) {
  std::vector<double> const field(static_cast<std::size_t>(problem.grid.point_count()),
                                  value_given_by_faces(problem).value_or(0.0));
  return residual_of(problem, field);
}

class Multigrid : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

struct Setting {
  Extent3 points;
  std::vector<Ends> ends;
  PerAxis<double> upper{1, 1, 1};
};

/// Odd and even extents, primes, one point more and less than powers of two, long and thin grids;
/// every kind of axis end; spacings that differ by factors of up to a hundred.
std::vector<Setting> settings() {
  return {{{33, 33, 33}, {"dd", "dd", "dd"}},
          {{32, 33, 34}, {"dn", "nd", "dd"}},
          {{37, 41, 20}, {"nn", "pp", "dn"}},
          {{5, 4, 3}, {"dd", "dd", "dd"}},
          {{64, 9, 23}, {"pp", "dd", "nn"}},
          {{8, 60, 7}, {"pp", "pp", "dd"}},
          {{40, 24, 31}, {"dd", "dn", "pp"}, {1.0, 0.01, 1.0}},
          {{33, 40, 29}, {"nd", "nn", "dd"}, {100.0, 1.0, 3.0}},
          {{129, 65, 1}, {"dd", "dd"}},
          {{100, 101, 1}, {"pp", "dn"}},
          {{300, 17, 1}, {"nn", "dd"}},
          {{4, 5, 1}, {"dd", "nd"}},
          {{97, 64, 1}, {"dd", "pp"}, {1.0, 100.0, 1.0}},
          {{2, 12, 9}, {"dn", "pp", "pp"}},  // the mirrored axis allows a halo of one point
          {{33, 20, 1}, {"nn", "dd"}, {0.05, 12.0, 1.0}}};
}

std::string text(Setting const& s) {
  std::string text = std::to_string(s.points.x) + "x" + std::to_string(s.points.y) + "x" +
                     std::to_string(s.points.z);
  for (Ends const& ends : s.ends) text += " " + ends;
  return text;
}

TEST_F(Multigrid, ReachesTheToleranceInFewCyclesOnAnyGrid) {
  for (Setting const& setting : settings()) {
    SCOPED_TRACE(text(setting));
    Problem const problem = mixed_problem(setting.points, setting.ends, setting.upper);
    MethodSettings method = multigrid(1e-8);
    method.relative_to = RelativeTo::rhs;
    auto const solver = solver_of(ranks_, problem, method);
    solver->advance_to(50);
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 9);
    double const found = residual_of(problem, gathered<double>(ranks_, *solver));
    double const allowed = 1e-8 * residual_of_constant(problem);
    EXPECT_LE(found, allowed * (1.0 + 1e-6) + 1e-12 * residual_of_constant(problem));
    EXPECT_NEAR(solver->state().last_residual->value, found, 1e-2 * (allowed + found));
    EXPECT_NEAR(*solver->state().reference, residual_of_constant(problem),
                1e-12 * residual_of_constant(problem));
  }
}

TEST_F(Multigrid, SameSolutionAndCyclesOnAnyNumberOfRanks) {
  mpi::Communicator const self(MPI_COMM_SELF);
  for (Setting const& setting :
       {Setting{{65, 66, 67}, {"dd", "dn", "nd"}}, Setting{{70, 33, 40}, {"pp", "nn", "dd"}},
        Setting{{257, 190, 1}, {"dd", "pp"}}, Setting{{9, 8, 300}, {"nn", "pp", "dd"}}}) {
    SCOPED_TRACE(text(setting));
    Problem const problem = mixed_problem(setting.points, setting.ends);
    auto const shared = solver_of(ranks_, problem, multigrid(1e-10));
    shared->advance_to(50);
    EXPECT_TRUE(shared->converged());
    if (ranks_.size() == 1) continue;
    auto const alone = solver_of(self, problem, multigrid(1e-10));
    alone->advance_to(50);
    EXPECT_NEAR(static_cast<double>(shared->iteration()), static_cast<double>(alone->iteration()),
                1.0);
    std::vector<double> const a = gathered<double>(ranks_, *shared);
    std::vector<double> const b = gathered<double>(self, *alone);
    double largest = 0.0;
    for (std::size_t n = 0; n < a.size(); ++n) largest = std::fmax(largest, std::abs(a[n] - b[n]));
    EXPECT_LT(largest, 1e-7);
  }
}

TEST_F(Multigrid, MatchesJacobi) {
  Problem const problem = mixed_problem({17, 14, 12}, {"dn", "pp", "dd"});
  auto const fast = solver_of(ranks_, problem, multigrid(1e-11));
  fast->advance_to(50);
  MethodSettings slow_method = jacobi(20000);
  slow_method.tolerance = 1e-12;
  auto const slow = solver_of(ranks_, problem, slow_method);
  slow->advance_to(20000);
  ASSERT_TRUE(fast->converged());
  ASSERT_TRUE(slow->converged());
  std::vector<double> const a = field_of<double>(*fast);
  std::vector<double> const b = field_of<double>(*slow);
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-9);
}

/// u = sin(1.3 x + 0.2) e^(y/2) cos z with every kind of end.
double wave(double x, double y, double z) {
  return std::sin(1.3 * x + 0.2) * std::exp(0.5 * y) * std::cos(z);
}

Problem wave_problem(std::int64_t intervals) {
  std::int64_t const n = intervals + 1;
  Problem problem;
  problem.equation = Equation::poisson;
  problem.grid = make_grid(3, {n, n, n}, {0, 0, 0}, {2.0, 1.5, 1.2}, {});
  for (BoundaryCondition& face : problem.boundary) face.value = steady(wave);
  problem.boundary[x_lower] = {BoundaryKind::neumann, steady([](double x, double y, double z) {
                                 return -1.3 * std::cos(1.3 * x + 0.2) * std::exp(0.5 * y) *
                                        std::cos(z);
                               })};
  problem.boundary[y_upper] = {BoundaryKind::neumann, steady([](double x, double y, double z) {
                                 return 0.5 * wave(x, y, z);
                               })};
  problem.source =
      steady([](double x, double y, double z) { return (1.69 - 0.25 + 1.0) * wave(x, y, z); });
  return problem;
}

/// The root mean square of u − wave over all points.
double mean_error(mpi::Communicator const& ranks, Solver& solver) {
  std::vector<double> const u = field_of<double>(solver);
  Grid const& grid = solver.subdomain().grid();
  double sum = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    double const error =
        u[number] - wave(grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z));
    sum += error * error;
  });
  return std::sqrt(ranks.sum(sum) / static_cast<double>(grid.point_count()));
}

TEST_F(Multigrid, FullMultigridIsSecondOrderAfterOneCycle) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  std::vector<double> errors;
  for (std::int64_t const intervals : {20, 40, 47, 63}) {  // nested and non-nested grids
    Problem const problem = wave_problem(intervals);
    auto const once = solver_of(ranks_, problem, multigrid(0.0, 1));
    once->advance_to(1);
    auto const solved = solver_of(ranks_, problem, multigrid(1e-10));
    solved->advance_to(50);
    errors.push_back(mean_error(ranks_, *solved));
    EXPECT_LT(mean_error(ranks_, *once), 1.5 * errors.back());
  }
  double const order = std::log2(errors[0] / errors[1]);
  EXPECT_GT(order, 1.9);
  EXPECT_LT(order, 2.15);
}

TEST_F(Multigrid, StartsNearTheSolutionTakeFewCycles) {
  Problem const problem = mixed_problem({33, 30, 17}, {"dd", "nn", "dd"});
  auto const solver = solver_of(ranks_, problem, multigrid(1e-10));
  solver->advance_to(50);
  std::int64_t const from_zero = solver->iteration();
  std::vector<double> solution = field_of<double>(*solver);

  auto const again = solver_of(ranks_, problem, multigrid(1e-9));
  again->set_initial(std::span<double const>(solution));
  again->advance_to(50);
  EXPECT_TRUE(again->converged());
  EXPECT_LE(again->iteration(), 2);
  MethodSettings by_residual = multigrid(1e-6);
  by_residual.relative_to = RelativeTo::rhs;
  auto const one = solver_of(ranks_, problem, by_residual);
  one->set_initial(std::span<double const>(solution));
  one->advance_to(50);
  EXPECT_EQ(one->iteration(), 1) << "a run takes a cycle at least";

  for (double& value : solution) value *= 1.0 + 1e-6;
  auto const near = solver_of(ranks_, problem, multigrid(1e-10));
  near->set_initial(std::span<double const>(solution));
  near->advance_to(50);
  EXPECT_TRUE(near->converged());
  EXPECT_LT(near->iteration(), from_zero);
}

TEST_F(Multigrid, ResumesLikeTheUninterruptedRun) {
  Problem const problem = mixed_problem({31, 20, 18}, {"dd", "dn", "pp"});
  auto const whole = solver_of(ranks_, problem, multigrid(0.0, 6));
  whole->advance_to(6);
  auto const first = solver_of(ranks_, problem, multigrid(0.0, 6));
  first->advance_to(2);
  std::vector<double> const half = field_of<double>(*first);
  auto const second = solver_of(ranks_, problem, multigrid(0.0, 6));
  second->restore(std::span<double const>(half), first->state());
  second->advance_to(6);
  EXPECT_EQ(field_of<double>(*second), field_of<double>(*whole));
  EXPECT_EQ(second->take_residuals().size(), 5U) << "of the iterations 2 to 6";
}

TEST_F(Multigrid, Float32ReportsItsRoundingFloor) {
  Problem problem = mixed_problem({65, 65, 33}, {"dd", "dd", "dd"});
  problem.precision = Precision::float32;
  auto const by_residual = [](double tolerance) {
    MethodSettings method = multigrid(tolerance);
    method.relative_to = RelativeTo::rhs;
    return method;
  };
  auto const easy = solver_of(ranks_, problem, by_residual(1e-3));
  easy->advance_to(50);
  EXPECT_TRUE(easy->converged());
  EXPECT_LE(residual_of(problem, gathered<float>(ranks_, *easy)),
            1.001e-3 * residual_of_constant(problem));

  auto const hard = solver_of(ranks_, problem, by_residual(1e-9));
  hard->advance_to(50);
  EXPECT_FALSE(hard->converged());
  EXPECT_TRUE(hard->stalled());
  EXPECT_NE(hard->remark().find("the tolerance may be out of reach"), std::string::npos);
  EXPECT_LT(hard->iteration(), 12);
  double const found = residual_of(problem, gathered<float>(ranks_, *hard));
  EXPECT_NEAR(hard->state().last_residual->value, found, 1e-2 * found);
}

TEST_F(Multigrid, ConvergesWithEveryCyclePrecisionAndSmoother) {
  Problem const problem = mixed_problem({40, 33, 27}, {"dd", "nd", "pp"});
  for (Cycle const cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      for (int const sweeps : {1, 2, 3, 5, 8}) {
        MethodSettings method = multigrid(1e-8);
        method.multigrid.cycle = cycle;
        method.multigrid.precision = precision;
        method.multigrid.pre = sweeps;
        method.multigrid.post = 9 - sweeps;
        auto const solver = solver_of(ranks_, problem, method);
        solver->advance_to(50);
        EXPECT_TRUE(solver->converged()) << sweeps;
        EXPECT_LE(solver->iteration(), 10) << sweeps;
      }
    }
  }
  MethodSettings method = multigrid(1e-8);
  method.multigrid.smoother = Smoother::jacobi;
  auto const solver = solver_of(ranks_, problem, method);
  solver->advance_to(50);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 16);
}

TEST_F(Multigrid, ConvergesWithAnyCoarsestGrid) {
  for (Setting const& setting :
       {Setting{{23, 33, 18}, {"dd", "nd", "pp"}}, Setting{{41, 37, 1}, {"dd", "nd"}}}) {
    Problem const problem = mixed_problem(setting.points, setting.ends);
    int const dimension = problem.grid.dimension;
    std::vector<double> expected;
    for (int const coarsest : {4, 3, max_coarsest(dimension)}) {
      MethodSettings method = multigrid(1e-10);
      method.multigrid.coarsest = coarsest;
      auto const solver = solver_of(ranks_, problem, method);
      solver->advance_to(50);
      EXPECT_TRUE(solver->converged()) << coarsest;
      std::vector<double> const field = gathered<double>(ranks_, *solver);
      if (expected.empty()) expected = field;
      double largest = 0.0;
      for (std::size_t n = 0; n < field.size(); ++n) {
        largest = std::max(largest, std::abs(field[n] - expected[n]));
      }
      EXPECT_LT(largest, 1e-7) << coarsest;
      if (coarsest != 4 && ranks_.is_root()) {
        EXPECT_GT(largest, 0.0) << "the setting changes nothing";
      }
    }
    MethodSettings beyond = multigrid(1e-10);
    beyond.multigrid.coarsest = max_coarsest(dimension) + 1;
    EXPECT_THROW((void)solver_of(ranks_, problem, beyond), SettingError);
  }
}

TEST_F(Multigrid, ConvergesForValuesOfAnyScale) {
  for (double const scale : {1e-200, 1e-30, 1e30, 1e200}) {
    Problem problem = mixed_problem({17, 17, 17}, {"dd", "dd", "dd"});
    for (BoundaryCondition& face : problem.boundary) face.value = scale;
    problem.source = 3.0 * scale;
    MethodSettings method = multigrid(1e-9);
    method.norm = Norm::max;
    auto const solver = solver_of(ranks_, problem, method);
    solver->advance_to(50);
    EXPECT_TRUE(solver->converged()) << scale;
    EXPECT_LE(solver->iteration(), 9) << scale;
  }
}

/// Only the given mean determines the constant.
TEST_F(Multigrid, WithoutDirichletFacesTheMeanIsAsGiven) {
  for (Extent3 const points : {Extent3{48, 21, 30}, Extent3{64, 50, 1}}) {
    bool const in_3d = points.z > 1;
    Problem problem = mixed_problem(
        points, in_3d ? std::vector<Ends>{"pp", "nn", "nn"} : std::vector<Ends>{"pp", "nn"});
    for (BoundaryCondition& face : problem.boundary) face.value = 0.0;
    double const k = 2.0 * std::acos(-1.0);
    problem.source = steady([k](double x, double, double) { return std::sin(k * x); });
    problem.mean = 3.0;
    auto const solver = solver_of(ranks_, problem, multigrid(1e-10));
    solver->advance_to(50);
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 9);
    double const h = problem.grid.spacing[0];
    double const eigenvalue = 2.0 * (1.0 - std::cos(k * h)) / (h * h);
    EXPECT_LT(
        ranks_.max(largest_error<double>(
            *solver, [&](double x, double, double) { return 3.0 + std::sin(k * x) / eigenvalue; })),
        1e-10);
    EXPECT_TRUE(solver->remark().empty());
  }
}

TEST_F(Multigrid, IncompatibleSourceIsRefusedOrProjected) {
  Problem problem = mixed_problem({20, 33, 18}, {"nn", "pp", "nn"});
  try {
    (void)solver_of(ranks_, problem, multigrid(1e-8));
    FAIL() << "a problem without a solution is not refused";
  } catch (InputError const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("no steady solution"), std::string::npos);
  }
  problem.project = true;
  auto const solver = solver_of(ranks_, problem, multigrid(1e-8));
  solver->advance_to(50);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 9);
  EXPECT_NE(solver->remark().find("is subtracted from the source"), std::string::npos);
}

TEST_F(Multigrid, RefusesUnsolvableProblems) {
  Problem const sound = mixed_problem({9, 9, 9}, {"dd", "pp", "nn"});
  MethodSettings method = multigrid(1e-6);
  method.multigrid.pre = 9;
  EXPECT_THROW(solver_of(ranks_, sound, method), SettingError);
  Execution how = execution(sound, ranks_);
  how.plan = "plain";
  EXPECT_THROW(make_solver(ranks_, sound, multigrid(1e-6), how), InputError);
}

}  // namespace
}  // namespace isotherm::test
