#include "app/run/output/output_sizes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "app/run/prepare/run_plan.hpp"
#include "app/run/schedule/snapshot_schedule.hpp"

// Upper bounds on the disk space that a run needs.

namespace isotherm::app {
namespace {

Case cube_case() {
  Case chosen;
  chosen.problem.grid = make_grid(3, {11, 21, 41}, {0, 0, 0}, {1, 1, 1}, {false, false, false});
  chosen.problem.precision = Precision::float64;
  chosen.method.iterations = 100;
  chosen.output.directory = ".";
  chosen.output.picture = std::nullopt;
  return chosen;
}
constexpr double value_bytes = 11.0 * 21.0 * 41.0 * 8.0;
constexpr double axis_bytes = (11.0 + 21.0 + 41.0) * 8.0;
constexpr double cube_bytes = value_bytes + axis_bytes;

TEST(OutputSizes, IncludeTheFinalField) {
  OutputSizes const sizes = output_sizes(cube_case(), 0, {});

  EXPECT_EQ(sizes.file_bytes, cube_bytes);
  EXPECT_EQ(sizes.snapshots, 0);
  EXPECT_EQ(sizes.whole_files, 1);
  EXPECT_EQ(sizes.total_bytes, cube_bytes);
  EXPECT_TRUE(sizes.fits());
}

/// A case that gives this key of [checkpoint], and every_minutes.
Case case_with_minutes(double minutes, std::string const& key) {
  Case chosen = cube_case();
  chosen.checkpoint.every_minutes = minutes;
  if (!key.empty()) chosen.said["checkpoint." + key] = "given";
  return chosen;
}

TEST(CheckpointSchedule, IntervalIsInMinutes) {
  Case chosen = case_with_minutes(0.5, "every_minutes");

  EXPECT_FALSE(is_due_by_time(chosen, 29.999));
  EXPECT_TRUE(is_due_by_time(chosen, 30.0));
  chosen.checkpoint.every_minutes = 0.0;
  EXPECT_FALSE(is_due_by_time(chosen, 1e9)) << "nobody asks for one";
}

TEST(CheckpointSchedule, DefaultCheckpointsTakeAFiftiethOfTheTimeAtMost) {
  Case const chosen = case_with_minutes(10.0, "");

  EXPECT_TRUE(is_due_by_time(chosen, 600.0, 12.0));
  EXPECT_FALSE(is_due_by_time(chosen, 999.0, 20.0));
  EXPECT_TRUE(is_due_by_time(chosen, 1000.0, 20.0));
  EXPECT_TRUE(is_due_by_time(case_with_minutes(10.0, "every_minutes"), 600.0, 20.0))
      << "the user has asked for ten minutes";
}

TEST(OutputSizes, CountDefaultCheckpointsSeparately) {
  Case chosen = case_with_minutes(10.0, "");
  OutputSizes const sizes = sizes_with_default_checkpoints(chosen, 0, {});

  EXPECT_EQ(sizes.whole_files, 1);
  EXPECT_EQ(sizes.total_bytes, cube_bytes);
  EXPECT_EQ(sizes.checkpoint_bytes, 3 * cube_bytes) << "two are kept while one is being written";
  EXPECT_EQ(chosen.checkpoint.every_minutes, 10.0);
}

TEST(OutputSizes, OmitDefaultCheckpointsThatDoNotFit) {
  Case chosen = case_with_minutes(10.0, "");
  chosen.checkpoint.keep = 1'000'000'000;  // exabytes
  OutputSizes const sizes = sizes_with_default_checkpoints(chosen, 0, {});

  EXPECT_EQ(sizes.checkpoint_bytes, 0.0);
  EXPECT_EQ(sizes.total_bytes, cube_bytes);
  EXPECT_EQ(chosen.checkpoint.every_minutes, 0.0);
}

TEST(OutputSizes, IncludeSnapshotsBeforeTheEnd) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 25;

  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshots, 4) << "0, 25, 50, 75; 100 is the final field";
  EXPECT_EQ(output_sizes(chosen, 25, {}).snapshots, 2) << "50, 75";
  EXPECT_EQ(output_sizes(chosen, 100, {}).snapshots, 0);
}

TEST(OutputSizes, IncludeSnapshotsAtOutputTimes) {
  Case chosen = cube_case();
  chosen.method.name = "ftcs";
  chosen.method.time_step_s = 0.1;
  chosen.method.times_s = {0.25, 0.5, 0.75};
  chosen.method.end_time_s = 1.0;
  lay_out_steps(chosen.method);  // the times are reached after 3, 6 and 9 of 12 steps
  ASSERT_EQ(chosen.method.iterations, 12);

  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshots, 3);
  EXPECT_EQ(output_sizes(chosen, 3, {}).snapshots, 2);
  chosen.output.snapshot_every = 2;
  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshots, 8) << "0, 2, 3, 4, 6, 8, 9, 10";
  chosen.output.snapshot_every = 0;
  chosen.output.snapshot_interval_s = 0.25;
  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshots, 4) << "and that of time 0";
  chosen.output.as_float32 = true;
  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshots, 5) << "and the last one";
}

TEST(OutputSizes, IncludeKeptCheckpointsAndTheOneBeingWritten) {
  Case chosen = cube_case();
  chosen.checkpoint.every = 10;
  chosen.checkpoint.keep = 3;

  EXPECT_EQ(output_sizes(chosen, 0, {}).whole_files, 5);
}

TEST(OutputSizes, IncludeOnlyCheckpointsBeforeTheEnd) {
  Case chosen = cube_case();
  chosen.checkpoint.every = 60;
  chosen.checkpoint.keep = 1'000'000;

  EXPECT_EQ(output_sizes(chosen, 0, {}).whole_files, 3) << "one, beside it another, the final one";
  EXPECT_EQ(output_sizes(chosen, 60, {}).whole_files, 1) << "the final one";
}

TEST(OutputSizes, IncludeCheckpointsWithReducedSnapshots) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 20;
  chosen.output.as_float32 = true;
  chosen.checkpoint.every = 30;
  chosen.checkpoint.keep = 1;

  OutputSizes const sizes = output_sizes(chosen, 0, {});
  EXPECT_EQ(sizes.snapshots, 6) << "0, 20, 40, 60, 80, and the final one";
  EXPECT_EQ(sizes.total_bytes, (6 * 0.5 + 3) * value_bytes + 9 * axis_bytes);
}

/// The bytes that the run will free, in addition to those that are free.
double freed(Case const& chosen, std::int64_t from, OldFiles const& old) {
  return output_sizes(chosen, from, old).freed_bytes;
}

OldFiles checkpoints_of(std::vector<double> const& sizes) {
  OldFiles old;
  for (double const bytes : sizes) old.fields.push_back({10, bytes, true});
  return old;
}

/// The disk space that a resumed run with these checkpoints needs, in units of a field.
double need(int keep, std::int64_t every, std::vector<double> const& sizes) {
  Case chosen = cube_case();
  chosen.checkpoint.every = every;
  chosen.checkpoint.keep = keep;
  double const total = output_sizes(chosen, 10, {}).total_bytes;
  return (total - freed(chosen, 10, checkpoints_of(sizes))) / cube_bytes;
}

class OutputSizesOnResume : public testing::Test {
 protected:
  static constexpr double one = cube_bytes;
};

TEST_F(OutputSizesOnResume, FilesToBeRemovedCountAsFree) {
  EXPECT_DOUBLE_EQ(need(2, 10, {}), 4);
  EXPECT_DOUBLE_EQ(need(2, 10, {one}), 3);
  EXPECT_DOUBLE_EQ(need(2, 10, {one, one}), 2);
  EXPECT_DOUBLE_EQ(need(2, 10, {one, one, one}), 1) << "killed before it removed the oldest";
  EXPECT_DOUBLE_EQ(need(1, 10, {one}), 2);
}

TEST_F(OutputSizesOnResume, FitIfTheRunFittedBefore) {
  for (int keep = 1; keep < 6; ++keep) {
    for (std::size_t there = 0; there <= static_cast<std::size_t>(keep) + 1; ++there) {
      double const left = need(keep, 1, {}) - static_cast<double>(there);
      EXPECT_LE(need(keep, 1, std::vector<double>(there, one)), left) << keep << ", " << there;
    }
  }
}

TEST_F(OutputSizesOnResume, IgnoreCheckpointsThatRemain) {
  EXPECT_DOUBLE_EQ(need(2, 1000, {one, one}), 1) << "the final field, with both beside it";
  EXPECT_DOUBLE_EQ(need(2, 60, {one, one}), 2) << "one new, one old, the final one";
}

TEST_F(OutputSizesOnResume, NeedSpaceForTheFirstFile) {
  EXPECT_DOUBLE_EQ(need(1, 10, {one, one, one, one, one}), 1);
}

TEST_F(OutputSizesOnResume, ReplacedSnapshotsExceptOneCountAsFree) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 20;
  OldFiles old;
  for (std::int64_t const at : {20, 40, 60, 80}) old.fields.push_back({at, one, false});

  EXPECT_EQ(freed(chosen, 20, old), 2 * one) << "40, 60, 80: the old one is there beside the new";
  EXPECT_EQ(freed(chosen, 90, old), 0.0);
}

TEST_F(OutputSizesOnResume, FilesRemovedFirstCountAsFree) {
  OldFiles old;
  old.removed_bytes = 5 * one;

  EXPECT_EQ(freed(cube_case(), 0, old), 5 * one);
}

TEST(OutputSizes, AccountForReducedSnapshots) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 50;
  chosen.output.as_float32 = true;
  chosen.output.fields = {"u", "source"};
  chosen.output.cut = GlobalBox{{0, 0, 20}, {11, 21, 21}};

  OutputSizes const sizes = output_sizes(chosen, 0, {});

  EXPECT_EQ(sizes.snapshot_bytes, 2 * 11.0 * 21.0 * 4.0 + (11.0 + 21.0 + 1.0) * 8.0);
  EXPECT_EQ(sizes.file_bytes, 2 * value_bytes + axis_bytes);
}

TEST(OutputSizes, VectorsHaveThreeComponents) {
  Case chosen = cube_case();
  chosen.output.fields = {"u", "gradient", "flux"};

  EXPECT_EQ(output_sizes(chosen, 0, {}).file_bytes, 7 * value_bytes + axis_bytes);

  chosen.output.as_float32 = true;  // the field in full precision has no vectors
  EXPECT_EQ(output_sizes(chosen, 0, {}).file_bytes, value_bytes + axis_bytes);
  EXPECT_EQ(output_sizes(chosen, 0, {}).snapshot_bytes, 7 * value_bytes / 2 + axis_bytes);
}

TEST(OutputSizes, DoNotFitOnASmallDisk) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 1;
  chosen.method.iterations = std::int64_t{1} << 50;

  EXPECT_FALSE(output_sizes(chosen, 0, {}).fits());
}

TEST(OutputSizes, IncludePictures) {
  Case chosen = cube_case();
  for (PictureFormat const format : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    chosen.output.picture = format;
    OutputSizes const steady = output_sizes(chosen, 0, {});
    EXPECT_EQ(steady.pictures, 1);
    EXPECT_GT(steady.picture_bytes, 3 * 1200.0 * 660.0);
    EXPECT_EQ(steady.total_bytes, cube_bytes + steady.picture_bytes);
  }
  chosen.problem.equation = Equation::diffusion;
  EXPECT_EQ(output_sizes(chosen, 0, {}).pictures, 2) << "one of the first field";
  EXPECT_EQ(output_sizes(chosen, 10, {}).pictures, 1) << "which a resumed run does not draw";
  chosen.output.picture_every = 30;
  EXPECT_EQ(output_sizes(chosen, 0, {}).pictures, 2 + 5) << "0, 30, 60, 90, 100";
  EXPECT_EQ(output_sizes(chosen, 60, {}).pictures, 1 + 2) << "90, 100";
}

TEST(OutputSizes, UseTheDiskOfAFutureDirectory) {
  Case chosen = cube_case();
  chosen.output.directory = "not/there/yet";

  EXPECT_GT(output_sizes(chosen, 0, {}).free_bytes, 0.0);
}

}  // namespace
}  // namespace isotherm::app
