#include "app/machine/tuned_plans.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "app/machine/plan_file.hpp"

// From measured sweep rates to the rows of a plan table.

namespace isotherm::test {
using namespace app;
namespace {

PlanRow sort(bool fixed = true) {
  PlanRow row;
  row.device = "an abacus";
  row.dimension = 2;
  row.precision = Precision::float64;
  row.fixed = fixed;
  row.source = false;
  return row;
}

TunedGrid grid(std::int64_t n, std::string const& plan, bool fixed = true) {
  return {sort(fixed), {n, n, 1}, n * n, plan, 2.5e9};
}

std::vector<std::string> plans_of(std::vector<TunedRow> const& rows) {
  std::vector<std::string> plans;
  for (TunedRow const& row : rows) plans.push_back(row.row.plan);
  return plans;
}

using Names = std::vector<std::string>;

TEST(TunedRows, AreOrderedByGridSizeWithLimitsInBetween) {
  auto const rows = tuned_rows({grid(100, "small"), grid(400, "middle"), grid(1600, "large")});

  ASSERT_EQ(plans_of(rows), (Names{"large", "middle", "small"}));
  EXPECT_EQ(rows[0].row.min_points, 800 * 800);
  EXPECT_EQ(rows[1].row.min_points, 200 * 200);
  EXPECT_EQ(rows[2].row.min_points, 0);
}

TEST(TunedRows, MergeNeighboursWithTheSamePlan) {
  auto const rows = tuned_rows({grid(100, "a"), grid(200, "a"), grid(400, "b"), grid(800, "a")});

  ASSERT_EQ(plans_of(rows), (Names{"a", "b", "a"}));
  EXPECT_EQ(rows[1].row.min_points, 80000);
  EXPECT_EQ(rows[2].row.min_points, 0);
  EXPECT_EQ(rows[2].comment, "2.5 GCell/s at 100 x 100, 2.5 GCell/s at 200 x 200");
}

TEST(TunedRows, MergeIntoOneForASingleFastestPlan) {
  auto const rows = tuned_rows({grid(100, "a"), grid(200, "a"), grid(400, "a")});

  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].row.min_points, 0);
  EXPECT_EQ(rows[0].row.device, "an abacus");
  EXPECT_EQ(rows[0].row.fixed, std::optional(true));
}

TEST(TunedRows, KeepKindsOfSweepsSeparate) {
  auto const rows = tuned_rows({grid(100, "a"), grid(200, "b"), grid(100, "b", false)});

  ASSERT_EQ(plans_of(rows), (Names{"b", "a", "b"}));
  EXPECT_EQ(rows[0].row.fixed, std::optional(true));
  EXPECT_EQ(rows[2].row.fixed, std::optional(false));
  EXPECT_EQ(rows[2].row.min_points, 0);
}

TEST(TunedRows, EmptyWithoutMeasurements) { EXPECT_TRUE(tuned_rows({}).empty()); }

TEST(TunedRows, ChooseTheMeasuredPlans) {
  PlanTable table;
  for (TunedRow const& row : tuned_rows({grid(100, "wavefront-2"), grid(400, "wavefront-8")})) {
    table.push_back(row.row);
    table.back().device = "";
  }
  SweepSubject subject;
  subject.dimension = 2;
  subject.precision = Precision::float64;
  subject.fixed = true;
  for (auto const& [n, plan] : {std::pair{50, "wavefront-2"},
                                {100, "wavefront-2"},
                                {399, "wavefront-8"},
                                {5000, "wavefront-8"}}) {
    subject.extent = {n, n, 1};
    EXPECT_EQ(choose_plan(table, subject, 100).name, plan) << n;
  }
}

TEST(TuningGrids, GrowUpToTheLimit) {
  for (Backend const backend : {Backend::cpu, Backend::cuda}) {
    for (bool const quick : {true, false}) {
      auto const grids = tuning_grids(backend, 2, quick, 2048);
      ASSERT_GE(grids.size(), 2U);
      EXPECT_EQ(grids.front(), (Extent3{512, 512, 1}));
      EXPECT_EQ(grids.back(), (Extent3{2048, 2048, 1}));
    }
  }
  EXPECT_EQ(tuning_grids(Backend::cuda, 3, false, 0).back(), (Extent3{1024, 1024, 1024}));
}

TEST(TuningGrids, NeverEmpty) {
  EXPECT_EQ(tuning_grids(Backend::cpu, 3, true, 20), (std::vector<Extent3>{{20, 20, 20}}));
  EXPECT_EQ(tuning_grids(Backend::cuda, 2, false, 20), (std::vector<Extent3>{{20, 20, 1}}));
}

}  // namespace
}  // namespace isotherm::test
