#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "app/bench/measure/bench_timing.hpp"
#include "app/machine/small_work.hpp"
#include "app/machine/tuning/first_tuning.hpp"
#include "app/machine/tuning/plan_timing.hpp"
#include "app/machine/tuning/remembered_plans.hpp"
#include "app/machine/tuning/unit_problem.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/sweep/resident.hpp"

// Which plans are remembered, for which sweeps they hold, and when the CPU takes small work.

namespace isotherm::app {
namespace {

TEST(ClassOf, IsThePowerOfEightBelow) {
  for (auto const& [points, least] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {7, 1},
                                      {8, 8},
                                      {63, 8},
                                      {64, 64},
                                      {512 * 512 * 512, 134217728},
                                      {512 * 512 * 512 - 1, 16777216}}) {
    EXPECT_EQ(class_of(points), least) << points;
  }
}

SweepSubject subject_of(std::int64_t n, Precision precision = Precision::float32) {
  SweepSubject subject;
  subject.extent = {n, n, n};
  subject.precision = precision;
  subject.fixed = true;
  return subject;
}

PlanRow row_of(SweepSubject const& subject, std::string const& plan) {
  PlanRow row = remembered_row(subject, "an abacus");
  row.plan = plan;
  return row;
}

TEST(RememberedPlans, HoldForTheirKindAndClass) {
  PlanTable const rows{row_of(subject_of(64), "wavefront-2")};
  auto const holds = [&](SweepSubject const& subject, std::string const& device) {
    return !rows_for(rows, remembered_row(subject, device)).empty();
  };

  EXPECT_TRUE(holds(subject_of(64), "an abacus"));
  EXPECT_TRUE(holds(subject_of(127), "an abacus"));
  EXPECT_FALSE(holds(subject_of(63), "an abacus"));
  EXPECT_FALSE(holds(subject_of(128), "an abacus"));
  EXPECT_FALSE(holds(subject_of(64), "another"));
  EXPECT_FALSE(holds(subject_of(64, Precision::float64), "an abacus"));
}

TEST(RememberedPlans, ChooseTheirOwnClassOnly) {
  DeviceInfo device;
  device.name = "an abacus";
  PlanTable rows;
  add_remembered(rows, {row_of(subject_of(16), "wavefront-2"), row_of(subject_of(16), "plain")});
  add_remembered(rows, {row_of(subject_of(128), "wavefront-4")});
  std::vector<SweepPlan> const plans{{"plain", 1}, {"wavefront-2", 2}, {"wavefront-4", 4}};
  auto const chosen = [&](std::int64_t n, int max_steps) {
    SweepSubject const subject = subject_of(n);
    PlanTable const own = rows_for(rows, remembered_row(subject, device.name));
    return plan_of_table(own, subject, device, plans, max_steps)
        .value_or(SweepPlan{"none", 1})
        .name;
  };

  EXPECT_EQ(chosen(200, 9), "wavefront-4");
  EXPECT_EQ(chosen(200, 3), "none");
  EXPECT_EQ(chosen(256, 9), "none");
  EXPECT_EQ(chosen(31, 9), "wavefront-2");
  EXPECT_EQ(chosen(31, 1), "plain");
  EXPECT_EQ(chosen(32, 9), "none");
  EXPECT_EQ(chosen(15, 9), "none");
}

TEST(RememberedPlans, DependOnTheThreadsOfACpu) {
  int const before = cpu_threads();
  set_cpu_threads(1);
  std::string const one = measured_device(Backend::cpu, "an abacus");
  set_cpu_threads(2);
  std::string const two = measured_device(Backend::cpu, "an abacus");
  set_cpu_threads(before);

  EXPECT_EQ(one, "an abacus with 1 thread");
  EXPECT_EQ(two, "an abacus with 2 threads");
  EXPECT_NE(remembered_file(one), remembered_file(two));
  EXPECT_EQ(measured_device(Backend::cuda, "an abacus"), "an abacus");
}

TEST(PlansToRemember, AreTheFastestAndThoseForTheRest) {
  auto const kept = plans_to_remember({{{resident_plan, 1}, 9.0},
                                       {{"four", 4}, 5.0},
                                       {{"eight", 8}, 4.0},
                                       {{"two", 2}, 3.0},
                                       {{"one", 1}, 2.0},
                                       {{"plain", 1}, 1.0}});
  std::string names;
  for (TimedPlan const& one : kept) names += one.plan.name + " ";
  EXPECT_EQ(names, std::string(resident_plan) + " four two one ");
}

TEST(TimedGrid, HasAtMostSixteenMillionPoints) {
  EXPECT_EQ(timed_grid({256, 256, 256}), (Extent3{256, 256, 256}));
  EXPECT_EQ(timed_grid({512, 512, 512}), (Extent3{256, 256, 256}));
  EXPECT_EQ(timed_grid({16384, 16384, 1}), (Extent3{4096, 4096, 1}));
  EXPECT_EQ(timed_grid({1 << 26, 1, 1}), (Extent3{1 << 24, 1, 1}));
}

TEST(TimePlans, MeasuresEachPlanOfTheCpu) {
  auto const timed = time_plans(mpi::Communicator::self(), subject_of(24), 60.0);
  ASSERT_GE(timed.size(), 3U);
  for (std::size_t n = 1; n < timed.size(); ++n) {
    EXPECT_GE(timed[n - 1].points_per_second, timed[n].points_per_second);
  }
  EXPECT_GT(timed.back().points_per_second, 0.0);
}

TEST(KnownGeneration, IsTheMeasuredOne) {
  DeviceInfo device;
  for (int const capability : {75, 80, 86, 89, 100, 120}) {
    device.compute_capability = capability;
    EXPECT_FALSE(is_known_generation(Backend::cuda, device)) << capability;
  }
  device.compute_capability = 90;
  EXPECT_TRUE(is_known_generation(Backend::cuda, device));
  EXPECT_TRUE(is_known_generation(Backend::cpu, {}));
}

// With subnormal numbers a CPU sweeps a hundred times more slowly.
TEST(UnitProblem, SweepsMeetNormalNumbersOnly) {
  auto const ranks = mpi::Communicator::world();
  for (Equation const equation : {Equation::laplace, Equation::diffusion}) {
    Problem const problem =
        unit_problem({10, 9, 1}, Precision::float32, equation, BoundaryKind::dirichlet);
    auto const solver = make_solver(ranks, problem, endless_method(problem),
                                    default_execution(ranks, {}, problem.grid));
    std::vector<float> field(static_cast<std::size_t>(solver->subdomain().owned().point_count()),
                             0.5F);
    solver->set_initial(std::span<float const>(field));
    solver->advance_to(2001);
    solver->read_field(std::span<float>(field));
    for (float const value : field) ASSERT_NEAR(value, 1.0F, 1e-5F);
  }
}

Work work_on(Extent3 points, std::int64_t iterations, char const* method) {
  Problem const problem =
      unit_problem(points, Precision::float32, Equation::laplace, BoundaryKind::dirichlet);
  MethodSettings settings;
  settings.name = method;
  settings.iterations = iterations;
  return work_of_run(problem, settings, 1);
}

TEST(SmallWork, IsThatOfSmallGridsAndShortRuns) {
  EXPECT_TRUE(cpu_is_faster(work_on({33, 33, 33}, 1000, "multigrid"), 2.0));
  EXPECT_TRUE(cpu_is_faster(work_on({65, 65, 1}, 1000, "jacobi"), 1.0));
  EXPECT_TRUE(cpu_is_faster(work_on({129, 129, 129}, 10, "jacobi"), 16.0));
}

TEST(SmallWork, DoesNotIncludeLargeGridsAndLongRuns) {
  EXPECT_FALSE(cpu_is_faster(work_on({257, 257, 257}, 1000, "multigrid"), 16.0));
  EXPECT_FALSE(cpu_is_faster(work_on({129, 129, 1}, 1'000'000, "jacobi"), 16.0));  // on the chip
  EXPECT_FALSE(cpu_is_faster(work_on({129, 129, 129}, 1'000'000, "jacobi"), 16.0));
}

TEST(SmallWork, DependsOnTheNumberOfThreads) {
  Work const work = work_on({129, 129, 129}, 1, "multigrid");
  EXPECT_FALSE(cpu_is_faster(work, 1.0));
  EXPECT_TRUE(cpu_is_faster(work, 16.0));
}

}  // namespace
}  // namespace isotherm::app
