#include <gtest/gtest.h>

#include <utility>

#include "app/run/probes/stop_event.hpp"
#include "solver/solver.hpp"
#include "tests/case/case_texts.hpp"

// Runs that a criterion ends, and that are interrupted between two checks of it.

namespace isotherm::test {
using namespace app;
namespace {

/// A case whose field is approximately sin(100 t) everywhere. At the checks it exceeds 1/2 in step
/// 40, first in step 34; it also does in steps 3 to 14, between two checks.
class StopEventOfWave : public testing::Test {
 protected:
  StopEventOfWave() {
    std::string text =
        with(diffusion_case, "diffusivity = 1.0", "diffusivity = 1.0\nsource = \"100*cos(100*t)\"");
    text = with(text, "\"sin(2*pi*x)\"", "0.0");
    text = with(text, "steps = 7", "steps = 60\ncheck_every = 20\nstop = \"mean > 0.5\"");
    case_ = parse_case(text, "case.toml");
  }

  std::unique_ptr<Solver> solver() {
    Execution execution;
    execution.parts = choose_decomposition(case_.problem.grid, world_.size());
    return make_solver(world_, case_.problem, case_.method, execution);
  }
  /// Returns where a run ends that starts with the solver's field.
  std::optional<StopPoint> end_of_run(Solver& solver) {
    StopEvent event(world_, case_, solver);
    while (!event.met() && solver.iteration() < case_.method.iterations) {
      solver.advance_to(event.next(solver.iteration(), case_.method.iterations));
      (void)event.judge();
    }
    return event.met();
  }
  /// Interrupts a run at an iteration between two checks.
  void interrupt(Solver& solver, std::int64_t iteration) {
    StopEvent event(world_, case_, solver);
    while (event.next(solver.iteration(), iteration) < iteration) {
      solver.advance_to(event.next(solver.iteration(), iteration));
      (void)event.judge();
    }
    solver.advance_to(iteration);
    event.return_to_check();
  }

  mpi::Communicator world_{MPI_COMM_WORLD};
  Case case_{};
};

TEST_F(StopEventOfWave, ResumedRunEndsAtTheStepOfAnUninterruptedRun) {
  auto const whole = end_of_run(*solver());
  EXPECT_TRUE(whole.has_value());
  if (!whole) return;
  EXPECT_EQ(whole->iteration, 34);

  for (auto const& [iteration, check] : {std::pair(8, 0), std::pair(30, 20), std::pair(37, 20)}) {
    auto const interrupted = solver();
    interrupt(*interrupted, iteration);
    EXPECT_EQ(interrupted->iteration(), check) << iteration;

    auto const points = static_cast<std::size_t>(interrupted->subdomain().owned().point_count());
    HostValues values(case_.problem.precision, points);
    interrupted->read_field(values.view());
    auto const resumed = solver();
    resumed->restore(std::as_const(values).view(), interrupted->state());
    auto const end = end_of_run(*resumed);
    EXPECT_TRUE(end.has_value()) << iteration;
    if (!end) continue;
    EXPECT_EQ(end->iteration, whole->iteration) << iteration;
    EXPECT_EQ(end->time_s, whole->time_s) << iteration;
    EXPECT_EQ(end->value, whole->value) << iteration;
  }
}

TEST_F(StopEventOfWave, RunWithoutACheckAdvances) {
  auto const interrupted = solver();
  interrupt(*interrupted, 18);
  EXPECT_EQ(interrupted->iteration(), 18);
}

}  // namespace
}  // namespace isotherm::test
