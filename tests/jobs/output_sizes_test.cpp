#include "jobs/output_sizes.hpp"

#include <gtest/gtest.h>

namespace isotherm {
namespace {

Case cube_case() {
  Case chosen;
  chosen.problem.grid = make_grid(3, {11, 21, 41}, {0, 0, 0}, {1, 1, 1}, {false, false, false});
  chosen.problem.precision = Precision::float64;
  chosen.method.iterations = 100;
  chosen.output.directory = ".";
  return chosen;
}
constexpr double cube_bytes = 11.0 * 21.0 * 41.0 * 8.0;

TEST(OutputSizes, CountTheFinalField) {
  OutputSizes const sizes = output_sizes(cube_case(), 0, 0.0);

  EXPECT_EQ(sizes.file_bytes, cube_bytes);
  EXPECT_EQ(sizes.snapshots, 0);
  EXPECT_EQ(sizes.whole_files, 1);
  EXPECT_EQ(sizes.total_bytes, cube_bytes);
  EXPECT_TRUE(sizes.fits());
}

TEST(OutputSizes, CountSnapshotsFromZeroToBeforeTheEnd) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 25;

  EXPECT_EQ(output_sizes(chosen, 0, 0.0).snapshots, 4) << "0, 25, 50, 75; 100 is the final field";
  EXPECT_EQ(output_sizes(chosen, 25, 0.0).snapshots, 2) << "50, 75";
  EXPECT_EQ(output_sizes(chosen, 100, 0.0).snapshots, 0);
}

TEST(OutputSizes, CountKeptCheckpointsAndTheOneBeingWritten) {
  Case chosen = cube_case();
  chosen.checkpoint.every = 10;
  chosen.checkpoint.keep = 3;

  EXPECT_EQ(output_sizes(chosen, 0, 0.0).whole_files, 5);
}

TEST(OutputSizes, KnowSmallerSnapshots) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 50;
  chosen.output.as_float32 = true;
  chosen.output.fields = {"u", "source"};
  chosen.output.cut = {{{0.0, 0.0, 0.5}, {1.0, 1.0, 0.5}}};

  OutputSizes const sizes = output_sizes(chosen, 0, 0.0);

  EXPECT_EQ(sizes.snapshot_bytes, 2 * 11.0 * 21.0 * 4.0);
  EXPECT_EQ(sizes.file_bytes, 2 * cube_bytes);
}

TEST(OutputSizes, DoNotFitIntoTooSmallADisk) {
  Case chosen = cube_case();
  chosen.output.snapshot_every = 1;
  chosen.method.iterations = std::int64_t{1} << 50;

  EXPECT_FALSE(output_sizes(chosen, 0, 0.0).fits());
}

TEST(OutputSizes, LookAtTheDiskOfADirectoryThatIsNotThereYet) {
  Case chosen = cube_case();
  chosen.output.directory = "not/there/yet";

  EXPECT_GT(output_sizes(chosen, 0, 0.0).free_bytes, 0.0);
}

TEST(CutBox, HoldsThePointsOnItsFaces) {
  Grid const grid = make_grid(3, {11, 11, 11}, {0, 0, 0}, {1, 1, 1}, {false, false, false});

  GlobalBox const box = cut_box(grid, {{{0.1, 0.25, -5.0}, {0.3, 0.55, 0.0}}});

  EXPECT_EQ(box, (GlobalBox{{1, 3, 0}, {4, 6, 1}}));
}

TEST(CutBox, LeavesZAloneIn2D) {
  Grid const grid = make_grid(2, {11, 11, 1}, {0, 0, 0}, {1, 1, 1}, {false, false, false});

  GlobalBox const box = cut_box(grid, {{{0.5, 0.5, 3.0}, {9.0, 9.0, 4.0}}});

  EXPECT_EQ(box, (GlobalBox{{5, 5, 0}, {11, 11, 1}}));
}

TEST(CutBox, RefusesACutWithoutPoints) {
  Grid const grid = make_grid(3, {11, 11, 11}, {0, 0, 0}, {1, 1, 1}, {false, false, false});

  EXPECT_THROW(cut_box(grid, {{{0.01, 0, 0}, {0.09, 1, 1}}}), InputError);
  EXPECT_THROW(cut_box(grid, {{{2, 0, 0}, {3, 1, 1}}}), InputError);
}

}  // namespace
}  // namespace isotherm
