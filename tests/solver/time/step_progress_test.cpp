#include "solver/time/step_progress.hpp"

#include <gtest/gtest.h>

// When the cycles of an implicit time step end.

namespace isotherm::test {
namespace {

using StepStatus = StepProgress::StepStatus;

TEST(StepProgress, EndsAtTheTolerance) {
  StepProgress progress(1e-3, 8.0);
  EXPECT_EQ(progress.start(), StepStatus::unsolved);
  EXPECT_EQ(progress.next(0.5), StepStatus::unsolved);
  EXPECT_EQ(progress.next(0.0081), StepStatus::unsolved);
  EXPECT_EQ(progress.next(0.008), StepStatus::solved);
  EXPECT_EQ(progress.cycles(), 3);
  EXPECT_EQ(progress.first(), 8.0);
  EXPECT_EQ(progress.last(), 0.008);
}

TEST(StepProgress, ZeroResidualIsSolved) {
  EXPECT_EQ(StepProgress(1e-6, 0.0).start(), StepStatus::solved);
}

TEST(StepProgress, ChangesOtherThanCyclesKeepTheReference) {
  StepProgress progress(1e-3, 1.0);
  EXPECT_EQ(progress.begin(0.01), StepStatus::unsolved);
  EXPECT_EQ(progress.cycles(), 0);
  EXPECT_EQ(progress.next(0.008), StepStatus::unsolved);
  EXPECT_EQ(progress.next(0.001), StepStatus::solved);
  EXPECT_EQ(StepProgress(1e-3, 1.0).begin(1e-3), StepStatus::solved);
}

TEST(StepProgress, DetectsStagnation) {
  StepProgress falling(1e-6, 1.0);
  EXPECT_EQ(falling.next(0.89), StepStatus::unsolved);
  EXPECT_EQ(falling.next(0.82), StepStatus::stalled);
  StepProgress growing(1e-6, 1.0);
  EXPECT_EQ(growing.next(3.0), StepStatus::unsolved) << "the first may be full multigrid";
  EXPECT_EQ(growing.next(3.1), StepStatus::stalled);
}

TEST(StepProgress, LimitsTheNumberOfCycles) {
  StepProgress slow(1e-6, 1.0);
  double residual = 1.0;
  int cycles = 1;
  while (slow.next(residual *= 0.899) == StepStatus::unsolved) ++cycles;
  EXPECT_EQ(cycles, 100);
}

TEST(StepProgress, RoundingFloorScalesWithPrecisionAndValues) {
  EXPECT_DOUBLE_EQ(step_rounding_floor(Precision::float32, 2.0), 0x1p-19);
  EXPECT_DOUBLE_EQ(step_rounding_floor(Precision::float64, 1.0), 0x1p-49);
}

}  // namespace
}  // namespace isotherm::test
