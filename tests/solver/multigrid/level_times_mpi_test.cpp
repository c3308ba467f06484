#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"
#include "solver/multigrid/levels/level_clock.hpp"
#include "tests/support/solving.hpp"

// Time and bytes that each multigrid level takes.

namespace isotherm::test {
namespace {

MethodSettings multigrid(Cycle cycle) {
  MethodSettings method = jacobi(4);
  method.name = "multigrid";
  method.check_every = 1;
  method.multigrid.cycle = cycle;
  return method;
}

Problem box_with_source() {
  Problem problem = box_problem(Equation::poisson, 3, {40, 33, 34}, {});
  problem.source = 1.0;
  return problem;
}

void work_for(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST(LevelClock, AttributesTimeToLevels) {
  using std::chrono::milliseconds;
  Queue queue(Backend::cpu);
  LevelClock clock(queue, 3);
  work_for(milliseconds(2));  // time of the field
  clock.enter_level(0);
  clock.enter_level(2);
  work_for(milliseconds(2));
  clock.enter_level(2);
  work_for(milliseconds(2));
  clock.enter_field();
  work_for(milliseconds(2));

  std::vector<double> const seconds = clock.seconds();

  ASSERT_EQ(seconds.size(), 4U);
  EXPECT_GE(seconds[0], 4e-3);
  EXPECT_GE(seconds[1], 0.0);
  EXPECT_EQ(seconds[2], 0.0) << "a level that was not entered";
  EXPECT_GE(seconds[3], 4e-3);
}

TEST(CycleBytes, SumToTheBytesOfAnIteration) {
  Problem const problem = box_with_source();
  MethodSettings method = multigrid(Cycle::v);
  for (int const coarsest : {3, 4, 5}) {
    method.multigrid.coarsest = coarsest;
    std::vector<double> const bytes = cycle_bytes(problem, method);
    EXPECT_EQ(bytes.size(), 1 + correction_problems(problem, coarsest).size());
    EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0.0),
              bytes_per_iteration(problem, method));
    EXPECT_EQ(bytes[0], (3.0 * 8.0 + 2.0 * 4.0) * 40.0 * 33.0 * 34.0);
    EXPECT_EQ(bytes[1], 9.0 * 4.0 * 40.0 * 33.0 * 34.0);
  }
}

class LevelTimes : public BackendTest {
 protected:
  [[nodiscard]] std::unique_ptr<Solver> solver_of(Problem const& problem,
                                                  MethodSettings const& method) const {
    return make_solver(ranks_, problem, method, execution(problem, ranks_));
  }
  mpi::Communicator const ranks_{MPI_COMM_WORLD};
};

void expect_all_levels(Problem const& problem, std::vector<LevelTime> const& times) {
  std::vector<Problem> const levels = correction_problems(problem);
  ASSERT_EQ(times.size(), levels.size() + 1);
  EXPECT_EQ(times[0].points, problem.grid.points);
  for (std::size_t n = 0; n < levels.size(); ++n) {
    EXPECT_EQ(times[n + 1].points, levels[n].grid.points);
    EXPECT_GT(times[n + 1].seconds, 0.0) << "level " << n;
  }
  EXPECT_GT(times[0].seconds, 0.0);
}

TEST_F(LevelTimes, CoverFieldAndAllLevelsForEveryCycle) {
  Problem const problem = box_with_source();
  for (Cycle const cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    auto const solver = solver_of(problem, multigrid(cycle));
    expect_all_levels(problem, solver->time_levels(1));  // full multigrid
    expect_all_levels(problem, solver->time_levels(3));
    EXPECT_EQ(solver->iteration(), 3);
  }
  Problem diffusion = problem;
  diffusion.equation = Equation::diffusion;
  MethodSettings steps = ftcs(2, 0.01);
  steps.name = "crank_nicolson";
  expect_all_levels(diffusion, solver_of(diffusion, steps)->time_levels(2));
}

TEST_F(LevelTimes, SumToAtMostTheTotalAndLeaveTheFieldUnchanged) {
  Problem const problem = box_with_source();
  auto const timed = solver_of(problem, multigrid(Cycle::v));
  auto const plain = solver_of(problem, multigrid(Cycle::v));
  auto const start = std::chrono::steady_clock::now();
  double sum = 0.0;
  for (LevelTime const& level : timed->time_levels(3)) sum += level.seconds;
  std::chrono::duration<double> const whole = std::chrono::steady_clock::now() - start;
  plain->advance_to(3);
  EXPECT_LE(sum, whole.count() * 1.001);
  EXPECT_EQ(field_of<double>(*timed), field_of<double>(*plain));
}

TEST_F(LevelTimes, EmptyWithoutCycles) {
  auto const solver = solver_of(box_with_source(), jacobi(4));
  EXPECT_TRUE(solver->time_levels(2).empty());
  EXPECT_EQ(solver->iteration(), 2);
}

}  // namespace
}  // namespace isotherm::test
