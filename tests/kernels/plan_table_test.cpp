#include "kernels/plan_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/resident.hpp"

namespace isotherm::test {
namespace {

SweepSubject cube() {
  SweepSubject subject;
  subject.extent = {512, 300, 256};
  return subject;
}

PlanRow row(char const* plan) {
  PlanRow row;
  row.plan = plan;
  return row;
}

std::string chosen(PlanRow const& only, SweepSubject const& subject) {
  return choose_plan({only}, subject, 100).name;
}

TEST(PlanTable, TakesNoMoreStepsThanAllowed) {
  for (int most : {1, 2, 3, 4, 7, 100}) EXPECT_LE(choose_plan({}, cube(), most).steps, most);
  EXPECT_EQ(choose_plan({}, cube(), 1).name, "plain");
  EXPECT_EQ(choose_plan({row("wavefront-8")}, cube(), 3).name, "wavefront-2");
}

TEST(PlanTable, RowsOfARunComeBeforeTheBuiltInOnesAndTheFirstThatFitsCounts) {
  EXPECT_EQ(choose_plan({}, cube(), 100).name, "wavefront-4");
  EXPECT_EQ(choose_plan({row("wavefront-2"), row("wavefront-8")}, cube(), 100).name, "wavefront-2");
}

TEST(PlanTable, SaysWhetherARowDecides) {
  EXPECT_EQ(plan_of_table({row("nonsense"), row("wavefront-8")}, cube(), 100)->name, "wavefront-8");
  EXPECT_FALSE(plan_of_table({row("wavefront-8")}, cube(), 7));
  EXPECT_FALSE(plan_of_table({}, cube(), 100));
}

TEST(PlanTable, ARowThatDoesNotFitIsPassedOver) {
  std::string const other = "wavefront-4";
  PlanRow const fits = row("wavefront-8");
  EXPECT_EQ(chosen(fits, cube()), "wavefront-8");

  PlanRow wrong = fits;
  wrong.dimension = 2;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.backend = Backend::cuda;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.device = "another processor";
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.element_bytes = sizeof(double);
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.fixed = true;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.source = true;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.least_extent = 257;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.least_points = std::int64_t{512} * 300 * 256 + 1;
  EXPECT_EQ(chosen(wrong, cube()), other);
  EXPECT_EQ(chosen(row("unheard-of"), cube()), other);
}

TEST(PlanTable, ARowThatFitsInAllItNamesIsTaken) {
  SweepSubject subject = cube();
  subject.fixed = subject.source = true;
  PlanRow exact = row("wavefront-8");
  exact.device = device_info(Backend::cpu).name;
  exact.element_bytes = sizeof(float);
  exact.fixed = exact.source = true;
  exact.least_extent = 256;
  exact.least_points = std::int64_t{512} * 300 * 256;
  EXPECT_EQ(chosen(exact, subject), "wavefront-8");
}

TEST(PlanTable, ThinGridsOfTwoDimensionsHaveNoThirdExtent) {
  SweepSubject plane;
  plane.dimension = 2;
  plane.extent = {4096, 4096, 1};
  PlanRow wide = row("wavefront-2");
  wide.dimension = 2;
  wide.least_extent = 1000;
  EXPECT_EQ(chosen(wide, plane), "wavefront-2");
}

TEST(PlanTable, TheResidentPlanIsKnownWhereItMayBeUsed) {
  SweepSubject plane;
  plane.dimension = 2;
  plane.extent = {96, 96, 1};
  PlanRow resident = row(resident_plan);
  resident.dimension = 2;
  EXPECT_EQ(chosen(resident, plane), "wavefront-8");
  plane.resident = true;
  EXPECT_EQ(chosen(resident, plane), resident_plan);
  EXPECT_EQ(usable_plans(plane).back().name, resident_plan);
}

}  // namespace
}  // namespace isotherm::test
