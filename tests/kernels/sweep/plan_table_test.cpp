#include "kernels/sweep/plan_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/shaped_plans.hpp"

// The choice of a sweep plan from the built-in and the user's table.

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

TEST(PlanTable, LimitsTheStepsOfAPass) {
  for (int maximum : {1, 2, 3, 4, 7, 100})
    EXPECT_LE(choose_plan({}, cube(), maximum).steps, maximum);
  EXPECT_EQ(choose_plan({}, cube(), 1).name, "plain");
  EXPECT_EQ(choose_plan({row("wavefront-8")}, cube(), 3).name, "wavefront-2");
}

TEST(PlanTable, UserRowsPrecedeBuiltInOnesAndTheFirstMatchWins) {
  EXPECT_EQ(choose_plan({}, cube(), 100).name, "wavefront-4");
  EXPECT_EQ(choose_plan({row("wavefront-2"), row("wavefront-8")}, cube(), 100).name, "wavefront-2");
}

TEST(PlanTable, ReportsWhetherARowMatched) {
  EXPECT_EQ(plan_of_table({row("nonsense"), row("wavefront-8")}, cube(), 100)->name, "wavefront-8");
  EXPECT_FALSE(plan_of_table({row("wavefront-8")}, cube(), 7));
  EXPECT_FALSE(plan_of_table({}, cube(), 100));
}

TEST(PlanTable, SkipsRowsThatDoNotMatch) {
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
  wrong.precision = Precision::float64;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.fixed = true;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.source = true;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.min_extent = 257;
  EXPECT_EQ(chosen(wrong, cube()), other);
  wrong = fits;
  wrong.min_points = std::int64_t{512} * 300 * 256 + 1;
  EXPECT_EQ(chosen(wrong, cube()), other);
  EXPECT_EQ(chosen(row("unheard-of"), cube()), other);
}

TEST(PlanTable, TakesARowIfAllItsKeysMatch) {
  SweepSubject subject = cube();
  subject.fixed = subject.source = true;
  PlanRow exact = row("wavefront-8");
  exact.device = device_info(Backend::cpu).name;
  exact.precision = Precision::float32;
  exact.fixed = exact.source = true;
  exact.min_extent = 256;
  exact.min_points = std::int64_t{512} * 300 * 256;
  EXPECT_EQ(chosen(exact, subject), "wavefront-8");
}

TEST(PlanTable, ThicknessIgnoresZIn2D) {
  SweepSubject plane;
  plane.dimension = 2;
  plane.extent = {4096, 4096, 1};
  PlanRow wide = row("wavefront-2");
  wide.dimension = 2;
  wide.min_extent = 1000;
  EXPECT_EQ(chosen(wide, plane), "wavefront-2");
}

/// All plans that the built-in table names for CUDA.
std::vector<SweepPlan> cuda_plans() {
  std::vector<SweepPlan> plans;
  for (PlanRow const& row : built_in_plan_table()) {
    if (row.backend != Backend::cuda || row.plan == resident_plan) continue;
    std::size_t const steps = row.plan.find(" t");
    plans.push_back(
        {row.plan, steps == std::string::npos ? 1 : std::stoi(row.plan.substr(steps + 2))});
  }
  return plans;
}

/// The plan that the built-in table chooses on a CUDA device.
std::string on_cuda(int capability, SweepSubject subject, int maximum,
                    std::vector<SweepPlan> const& plans = cuda_plans()) {
  subject.backend = Backend::cuda;
  DeviceInfo device;
  device.compute_capability = capability;
  auto const plan = plan_of_table(built_in_plan_table(), subject, device, plans, maximum);
  return plan ? plan->name : "none";
}

SweepSubject square_of(std::int64_t n, Precision precision) {
  SweepSubject subject;
  subject.dimension = 2;
  subject.precision = precision;
  subject.extent = {n, n, 1};
  return subject;
}

SweepSubject cube_of(std::int64_t n, Precision precision) {
  SweepSubject subject = cube();
  subject.precision = precision;
  subject.extent = {n, n, n};
  return subject;
}

TEST(BuiltInTable, ChoosesDeepPassesOnH200AndShorterOnesForTheRest) {
  SweepSubject large = square_of(16384, Precision::float32);
  for (bool const fixed : {false, true}) {
    large.fixed = fixed;
    EXPECT_EQ(on_cuda(90, large, 100), "temporal-2d t20 w384");
    EXPECT_EQ(on_cuda(90, large, 19), "temporal-2d t16 w384");
    EXPECT_EQ(on_cuda(90, large, 15), "temporal-2d t8 w384");
    EXPECT_EQ(on_cuda(90, large, 7), "temporal-2d t2 w384");
    EXPECT_EQ(on_cuda(90, large, 1), "tile");
  }
  EXPECT_EQ(on_cuda(90, square_of(16384, Precision::float64), 100), "temporal-2d t20 w192");
  EXPECT_EQ(on_cuda(90, square_of(16384, Precision::float64), 19), "temporal-2d t12 w320");
  EXPECT_EQ(on_cuda(90, cube_of(1024, Precision::float32), 100), "temporal-3d t4 12x3 c2");
  EXPECT_EQ(on_cuda(90, cube_of(1024, Precision::float32), 3), "temporal-3d t3 16x3 c2");
  EXPECT_EQ(on_cuda(90, cube_of(1024, Precision::float32), 2), "temporal-3d t2 12x4");
  EXPECT_EQ(on_cuda(90, cube_of(1024, Precision::float32), 1), "tile");
  EXPECT_EQ(on_cuda(90, cube_of(1024, Precision::float64), 100), "temporal-3d t4 12x3 c2");
}

TEST(BuiltInTable, DistinguishesSizesSourcesAndFixedFaces) {
  EXPECT_EQ(on_cuda(90, cube_of(256, Precision::float32), 100), "temporal-3d t4 12x3 c2");
  EXPECT_EQ(on_cuda(90, cube_of(512, Precision::float32), 100), "temporal-3d t4 12x3 c2");
  EXPECT_EQ(on_cuda(90, cube_of(128, Precision::float64), 100), "temporal-3d t4 12x3 c2");
  SweepSubject small = square_of(2048, Precision::float32);
  EXPECT_EQ(on_cuda(90, small, 100), "temporal-2d t16 w384");
  SweepSubject medium = square_of(4096, Precision::float32);
  EXPECT_EQ(on_cuda(90, medium, 100), "temporal-2d t20 w384");
  medium.fixed = true;
  EXPECT_EQ(on_cuda(90, medium, 100), "temporal-2d t16 w384");
  small.extent = {1024, 1024, 1};
  EXPECT_EQ(on_cuda(90, small, 100), "temporal-2d t20 w384");
  small.fixed = true;
  EXPECT_EQ(on_cuda(90, small, 100), "temporal-2d t8 w128");
  small.source = true;
  EXPECT_EQ(on_cuda(90, small, 100), "temporal-2d t12 w384");
  EXPECT_EQ(on_cuda(90, small, 11), "temporal-2d t8 w128");
  SweepSubject with_source = square_of(4096, Precision::float64);
  with_source.source = true;
  EXPECT_EQ(on_cuda(90, with_source, 100), "temporal-2d t12 w192");
  EXPECT_EQ(on_cuda(90, with_source, 11), "temporal-2d t8 w64");
  EXPECT_EQ(on_cuda(90, with_source, 7), "tile");
}

TEST(BuiltInTable, DefaultsToOneStepAPass) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    EXPECT_EQ(on_cuda(89, square_of(4096, precision), 100), "tile");
    EXPECT_EQ(on_cuda(75, cube_of(512, precision), 100), "tile");
  }
}

TEST(BuiltInTable, HasPlansForVariableCoefficients) {
  SweepSubject medium = cube_of(512, Precision::float32);
  medium.heterogeneous = true;
  std::vector<SweepPlan> const plans{{"plain", 1}, {"columns", 1}};
  EXPECT_EQ(on_cuda(90, medium, 100, plans), "columns");
  medium.dimension = 2;
  EXPECT_EQ(on_cuda(75, medium, 1, plans), "columns");
}

TEST(BuiltInTable, AvoidsClustersOnDevicesWithoutThem) {
  std::vector<SweepPlan> plans = cuda_plans();
  std::erase_if(plans, [](SweepPlan const& plan) { return plan.name.ends_with(" c2"); });
  EXPECT_EQ(on_cuda(90, cube_of(256, Precision::float32), 100, plans), "temporal-3d t4 12x3");
  plans.push_back({"temporal-3d t4 8x5", 4});
  EXPECT_EQ(on_cuda(90, cube_of(512, Precision::float64), 100, plans), "temporal-3d t4 8x5");
}

/// A misspelt plan name would silently leave the choice to the next row.
TEST(BuiltInTable, NamesOnlyExistingPlans) {
  for (PlanRow const& row : built_in_plan_table()) {
    if (row.plan == resident_plan || (row.backend == Backend::cuda && !cuda::built())) continue;
    bool known = false;
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      if (row.precision.value_or(precision) != precision) continue;
      auto const plans_of = row.heterogeneous.value_or(false) ? heterogeneous_plans : sweep_plans;
      auto const plans = plans_of(row.backend, row.dimension, precision, 0);
      known = known || std::ranges::find(plans, row.plan, &SweepPlan::name) != plans.end();
    }
    bool const has_older_device = row.backend == Backend::cuda && cuda::device_count() > 0 &&
                                  device_info(Backend::cuda).compute_capability < 90;
    EXPECT_TRUE(known || has_older_device) << row.plan;
  }
}

TEST(PlanTable, ResidentPlanIsKnownIfApplicable) {
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

TEST(ShapedPlans, ReadTheShapeOfABlock) {
  EXPECT_EQ(parse_block_shape("16x8"), (BlockShape{16, 8, 1}));
  EXPECT_EQ(parse_block_shape("32x2x4"), (BlockShape{32, 2, 4}));
  for (char const* const text : {"", "16", "x", "16x", "x16", "16x0", "16x-2", "1025x1", "1x2x3x4",
                                 "1x2x", "1 x2", "1x2 "}) {
    EXPECT_FALSE(parse_block_shape(text)) << text;
  }
}

TEST(ShapedPlans, MayBeNamedByTables) {
  SweepSubject subject = cube();
  subject.backend = Backend::cuda;
  DeviceInfo device;
  device.compute_capability = 90;
  auto const chosen = [&](char const* name) {
    PlanRow wanted = row(name);
    wanted.backend = Backend::cuda;
    auto const plan = plan_of_table({wanted}, subject, device, {{"plain", 1}}, 4);
    return plan ? plan->name : std::string();
  };
  EXPECT_EQ(chosen("plain 32x2x4"), "plain 32x2x4");
  EXPECT_EQ(chosen("plain 1024x1024x2"), "");  // more threads than a block can have
  subject.source = true;                       // no such kernel adds a source
  EXPECT_EQ(chosen("plain 32x2x4"), "");
  EXPECT_FALSE(shaped_plan(subject, "plain 32x2x4"));
  subject.source = false;
  EXPECT_TRUE(shaped_plan(subject, "plain 32x2x4"));
  subject.heterogeneous = true;  // only constant weights have such kernels
  EXPECT_EQ(chosen("plain 32x2x4"), "");
}

TEST(ShapedPlans, ExistOnCudaForShapesThatABlockCanHave) {
  auto const plan = [](int dimension, std::string const& name) {
    return shaped_plan(Backend::cuda, dimension, Precision::float64, name);
  };
  EXPECT_EQ(plan(3, "plain 32x2x4")->shape, "32x2x4");
  EXPECT_EQ(plan(2, "march 1024x1")->steps, 1);
  EXPECT_FALSE(plan(3, "tile 32x2x4"));
  EXPECT_FALSE(plan(3, "plain"));
  EXPECT_FALSE(plan(3, "plain 32"));
  EXPECT_FALSE(shaped_plan(Backend::cpu, 3, Precision::float64, "plain 32x2x4"));
  EXPECT_THROW((void)plan(3, "plain 32x32x2"), InputError);
  EXPECT_THROW((void)plan(3, "plain 1x1x65"), InputError);
  EXPECT_THROW((void)plan(2, "plain 8x8x2"), InputError);
  EXPECT_THROW((void)plan(3, "shared 1024x1x1"), InputError);
}

}  // namespace
}  // namespace isotherm::test
