#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/levels/level_plan.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// The choice between coarser grids and aggregates: by the memory that is free, once for all steps,
// the same after a checkpoint, and reported.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

/// Strips at 45 degrees that conduct better, eight points apart on a grid of this many intervals.
/// Coarser grids cannot represent them: their cycles are slow, or do not converge.
struct Strips {
  int intervals = 64;
  double contrast = 1e6;

  double operator()(double x, double y) const {
    double const along = std::rint(0.5 * intervals * (x + y));
    return along - 8.0 * std::floor(along / 8.0) < 1.5 ? contrast : 1.0;
  }
};
/// Cycles with grids are slow, but converge.
constexpr Strips mild{.contrast = 1e3};

Problem with_strips(Equation equation, Strips strips = {}) {
  Problem problem =
      box_problem(equation, 2, {strips.intervals + 1, strips.intervals + 1, 1}, {neumann, 0.0});
  problem.boundary[{1, false}] = {dirichlet, 0.0};
  problem.boundary[{1, true}] = {dirichlet, 1.0};
  problem.source = 1.0;
  make_isotropic(problem, steady([strips](double x, double y, double) { return strips(x, y); }));
  return problem;
}

MethodSettings steps(std::int64_t count) {
  MethodSettings method = ftcs(count, 1e3);
  method.name = "backward_euler";
  method.check_every = 0;
  return method;
}
MethodSettings cycles(std::string const& name = "multigrid") {
  MethodSettings method;
  method.name = name;
  method.iterations = 60;
  method.check_every = 1;
  method.tolerance = 1e-8;
  return method;
}

class HierarchyChoice : public SteppingTest {
 protected:
  /// Returns the memory that the aggregates of the largest rank's part of a problem may take.
  [[nodiscard]] std::size_t bytes_of_aggregates(Problem const& problem) const {
    Subdomain const part(problem.grid, execution(problem, ranks_).parts, 0);
    LevelPlan const finest = plan_levels(problem, part, tested_backend(), std::nullopt).front();
    auto const points = static_cast<std::size_t>(finest.subdomain.owned().point_count());
    return correction_precision(problem, {}) == Precision::float32
               ? AggregateHierarchy<float>::footprint(points)
               : AggregateHierarchy<double>::footprint(points);
  }
  /// Makes a solver that has this much memory for aggregates.
  std::unique_ptr<Solver> with_spare(std::size_t bytes, Problem const& problem,
                                     MethodSettings const& method) {
    Execution where = execution(problem, ranks_);
    where.spare_bytes = bytes;
    return make_solver(ranks_, problem, method, where);
  }
  static constexpr std::size_t plenty = std::size_t{1} << 40U;
};

/// Divided steps have two operators at the same time, and so two sets of aggregates.
TEST_F(HierarchyChoice, DividedStepsNeedMemoryForTwoSetsOfAggregates) {
  Problem const problem = with_strips(Equation::diffusion);
  std::size_t const enough = bytes_of_aggregates(problem);
  MethodSettings method = steps(1);
  EXPECT_EQ(with_spare(enough, problem, method)->state().hierarchy, HierarchyKind::aggregates);
  method.adaptive.tolerance = 0.1;
  auto const short_of_memory = with_spare(enough + enough / 2, problem, method);
  EXPECT_EQ(short_of_memory->state().hierarchy, HierarchyKind::grids);
  EXPECT_NE(short_of_memory->remark().find("there is not enough memory"), std::string::npos)
      << short_of_memory->remark();
  EXPECT_EQ(with_spare(2 * enough, problem, method)->state().hierarchy, HierarchyKind::aggregates);
}

/// The memory that is free when a run resumes does not change its bits.
TEST_F(HierarchyChoice, ResumedStepsKeepTheirHierarchy) {
  Problem const problem = with_strips(Equation::diffusion, mild);
  MethodSettings const method = steps(4);
  for (std::size_t const before : {plenty, std::size_t{0}}) {
    auto const solver = with_spare(before, problem, method);
    solver->advance_to(2);
    std::vector<double> const middle = field_of<double>(*solver);
    SolverState const state = solver->state();
    solver->advance_to(4);
    MethodSettings resumed_method = method;
    keep_decisions(resumed_method, state);
    EXPECT_EQ(resumed_method.multigrid.hierarchy,
              before > 0 ? HierarchyKind::aggregates : HierarchyKind::grids);
    auto const resumed = with_spare(plenty - before, problem, resumed_method);
    EXPECT_EQ(resumed->remark(), "");
    resumed->restore(std::span(middle), state);
    resumed->advance_to(4);
    EXPECT_EQ(field_of<double>(*resumed), field_of<double>(*solver));
    EXPECT_EQ(resumed->state().hierarchy, state.hierarchy);
  }
}

/// A choice that the settings make is kept, whatever a state contains.
TEST_F(HierarchyChoice, SettingsPrecedeTheState) {
  MethodSettings method = steps(1);
  method.multigrid.hierarchy = HierarchyKind::grids;
  SolverState state;
  state.hierarchy = HierarchyKind::aggregates;
  keep_decisions(method, state);
  EXPECT_EQ(method.multigrid.hierarchy, HierarchyKind::grids);
}

/// Newton's method reports the switch once, and continues with the same bits after a checkpoint.
TEST_F(HierarchyChoice, NonlinearIterationsReportAndKeepIt) {
  Problem problem = with_strips(Equation::poisson);
  problem.source = of_field([](double u) { return 1.0 - 0.1 * u * u * u; });
  MethodSettings const method = cycles();
  auto const solver = with_spare(plenty, problem, method);
  EXPECT_EQ(solver->state().hierarchy, HierarchyKind::automatic);
  solver->advance_to(1);
  EXPECT_NE(solver->take_event().find("aggregates replace the coarser grids from iteration 1 on"),
            std::string::npos);
  SolverState const state = solver->state();
  EXPECT_EQ(state.hierarchy, HierarchyKind::aggregates);
  std::vector<double> const middle = field_of<double>(*solver);
  solver->advance_to(method.iterations);
  EXPECT_TRUE(solver->converged());
  EXPECT_EQ(solver->take_event(), "");
  MethodSettings resumed_method = method;
  keep_decisions(resumed_method, state);
  auto const resumed = with_spare(0, problem, resumed_method);
  resumed->restore(std::span(middle), state);
  resumed->advance_to(method.iterations);
  EXPECT_EQ(field_of<double>(*resumed), field_of<double>(*solver));
}

/// Newton's method reports that there is no memory for aggregates.
TEST_F(HierarchyChoice, NonlinearIterationsReportALackOfMemory) {
  Problem problem = with_strips(Equation::poisson);
  problem.source = of_field([](double u) { return 1.0 - 0.1 * u; });
  auto const solver = with_spare(0, problem, cycles());
  solver->advance_to(1);
  EXPECT_NE(solver->take_event().find("there is not enough memory"), std::string::npos);
  EXPECT_EQ(solver->state().hierarchy, HierarchyKind::grids);
}

/// Strips between the lines on which the conductivity is sampled: cycles replace direct solutions,
/// and aggregates the coarser grids of these.
TEST_F(HierarchyChoice, DirectSolutionsFallBackToAggregates) {
  Problem problem = box_problem(Equation::poisson, 2, {97, 97, 1}, {dirichlet, 0.0});
  problem.source = 1.0;
  make_isotropic(problem, steady([](double x, double y, double) {
                   auto const is_sampled = [](double at) {
                     return std::lround(96.0 * at) % 24 == 0;
                   };
                   return is_sampled(x) || is_sampled(y) ? 1.0 : Strips{96}(x, y);
                 }));
  auto const solver = with_spare(plenty, problem, cycles("direct"));
  solver->advance_to(60);
  std::string const event = solver->take_event();
  std::size_t const first = event.find("multigrid cycles precondition from iteration 4 on");
  std::size_t const second = event.find("aggregates replace the coarser grids from iteration ");
  EXPECT_TRUE(first == 0 && second != std::string::npos) << event;
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 30);
  auto const wanted = with_spare(plenty, problem, cycles());
  wanted->advance_to(60);
  EXPECT_LE(difference<double>(*solver, *wanted), 1e-6);
}

/// The seconds of halo exchanges never fall, also when aggregates replace coarser grids.
TEST_F(HierarchyChoice, HaloSecondsCountReplacedLevels) {
  auto const solver = with_spare(plenty, with_strips(Equation::poisson), cycles());
  double before = 0.0;
  for (std::int64_t iteration = 1; iteration <= 12; ++iteration) {
    solver->advance_to(iteration);
    double const halo_s = solver->times().halo_s;
    EXPECT_GE(halo_s, before) << iteration;
    if (ranks_.size() > 1) {
      EXPECT_GT(halo_s, before) << iteration;
    }
    before = halo_s;
  }
  EXPECT_EQ(solver->state().hierarchy, HierarchyKind::aggregates);
}

}  // namespace
}  // namespace isotherm::test
