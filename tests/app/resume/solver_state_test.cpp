#include "app/run/resume/solver_state.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

// The solver state as text in a snapshot.

namespace isotherm::app {
namespace {

TEST(SolverStateText, PreservesEveryBit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    double const value = std::abs(std::bit_cast<double>(random()));
    if (!std::isfinite(value)) continue;
    SolverState state{1234567890123, value,
                      Residual{77, value / 3, value * 0.7, value * 0.1, value * 0.2}};
    state.time_s = value * 0.9;
    state.range = MeasuredRange{{-value, value * 0.6}, value * 0.1, value * 0.2};
    state.reference = value * 0.6;
    state.steps = StepState{value * 0.1, 12345678901, 7, value * 0.01, value * 0.3};
    state.hierarchy = i % 2 == 0 ? HierarchyKind::grids : HierarchyKind::aggregates;
    state.refuted = Refutation{123456789012, 1.0 + value};
    state.changes = {{1.5, value * 0.1, value * 0.3}, {2.5, value * 0.7, value * 0.9}};
    state.segment = TimeSegment{99, value * 0.3, value * 1e-3, 1234567890999, value};

    SolverState const read = solver_state_from_json(to_json(state));

    ASSERT_EQ(read.iteration, state.iteration);
    ASSERT_EQ(read.first_residual, state.first_residual);
    ASSERT_EQ(read.last_residual->iteration, state.last_residual->iteration);
    ASSERT_EQ(read.last_residual->time_s, state.last_residual->time_s);
    ASSERT_EQ(read.last_residual->value, state.last_residual->value);
    ASSERT_EQ(read.last_residual->error, state.last_residual->error);
    ASSERT_EQ(read.last_residual->range, state.last_residual->range);
    ASSERT_EQ(read.reference, state.reference);
    ASSERT_EQ(read.changes, state.changes);
    ASSERT_EQ(read.time_s, state.time_s);
    ASSERT_EQ(read.refuted, state.refuted);
    ASSERT_EQ(read.steps, state.steps);
    ASSERT_EQ(read.hierarchy, state.hierarchy);
    ASSERT_EQ(read.range->values.smallest, state.range->values.smallest);
    ASSERT_EQ(read.range->values.largest, state.range->values.largest);
    ASSERT_EQ(read.range->moved, state.range->moved);
    ASSERT_EQ(read.range->largest_change, state.range->largest_change);
    if (value * 1e-3 > 0.0) {
      ASSERT_EQ(read.segment, state.segment);
    }
  }
}

TEST(SolverStateText, PreservesUnknownValues) {
  SolverState const read = solver_state_from_json(to_json(SolverState{5, {}, {}}));

  EXPECT_EQ(read.iteration, 5);
  EXPECT_FALSE(read.first_residual);
  EXPECT_FALSE(read.last_residual);
  EXPECT_TRUE(read.changes.empty());
  EXPECT_FALSE(read.segment);
  EXPECT_FALSE(read.range);
  EXPECT_FALSE(read.refuted);
  EXPECT_FALSE(read.steps);
  EXPECT_EQ(read.hierarchy, HierarchyKind::automatic);
}

TEST(SolverStateText, RefusesOtherTexts) {
  for (char const* const text :
       {"", "{}", "[1]", "{\"iteration\": \"x\"}", R"({"iteration": 1, "time_s": -1.0})",
        R"({"iteration": 1, "time_steps": 7})", R"({"iteration": 1, "time_steps": {"first": 0}})",
        R"({"iteration": 1, "range": [1, 0, 0, 0]})", R"({"iteration": 1, "range": [0, 1, -1, 0]})",
        R"({"iteration": 1, "range": [0, 1]})", R"({"iteration": 1, "range": 5})",
        R"({"iteration": 1, "divided_steps": {"next_s": 1, "accepted": 2}})",
        R"({"iteration": 1, "divided_steps": {"next_s": 1, "accepted": 2, "rejected": -1,
            "shortest_s": 1, "longest_s": 1}})",
        R"({"iteration": 1, "divided_steps": {"next_s": 1, "accepted": 2, "rejected": 0,
            "shortest_s": 2, "longest_s": 1}})",
        R"({"iteration": 1, "refuted": 5})", R"({"iteration": 1, "hierarchy": "auto"})",
        R"({"iteration": 1, "hierarchy": 2})",
        R"({"iteration": 1, "refuted": {"iteration": 1, "factor": 0.5}})", "not json"}) {
    EXPECT_THROW(solver_state_from_json(text), InputError) << text;
  }
}

}  // namespace
}  // namespace isotherm::app
