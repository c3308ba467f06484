#include <gtest/gtest.h>

#include <random>

#include "io/reading.hpp"
#include "io/snapshot_file.hpp"
#include "io/write_plan.hpp"
#include "tests/io/support.hpp"

// Many small writes of odd sizes from several ranks into one file: what shows that the MPI library
// loses data in collective writes. Open MPI 4.1.4 does so without the mend in mpi::Session.

namespace isotherm::test {
namespace {

struct Mode {
  char const* name;
  int deflate_level;
  std::size_t call_bytes;  ///< small: several collective calls a field
};

class CollectiveWrite : public testing::TestWithParam<Mode> {};

Extent3 random_points(std::mt19937& engine) {
  std::uniform_int_distribution<std::int64_t> size(8, 48);
  Extent3 points{size(engine), size(engine), size(engine)};
  points.z = engine() % 4 == 0 ? 1 : points.z;
  return points;
}

/// The number of values of the file that are not what was written, as one rank alone reads them.
std::size_t wrong_values(std::filesystem::path const& path, Grid const& grid) {
  Subdomain const all(grid, {1, 1, 1}, 0);
  std::vector<double> const wanted = values_of<double>(all);
  std::vector<double> found(wanted.size());
  hdf5::File const file = open_for_reading(path);
  std::string const name = grid.dimension == 2 ? "/VTKHDF/CellData/u" : "/VTKHDF/PointData/u";
  hdf5::Dataset const dataset(hdf5::check(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT)));
  read_box(dataset, 3, grid.box(), found.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wrong += found[i] != wanted[i] ? 1 : 0;
  }
  return wrong;
}

TEST_P(CollectiveWrite, LosesNothingInManySmallFilesOfOddSizes) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  SharedDirectory const directory(world);
  std::mt19937 engine(42);
  std::size_t wrong = 0;

  for (int write = 0; write < 100; ++write) {
    Grid const grid = grid_of(random_points(engine));
    auto const ways = decompositions(grid, world.size());
    Subdomain const subdomain(grid, ways[engine() % ways.size()], world.rank());
    std::vector<double> const owned = values_of<double>(subdomain);
    SnapshotInfo info = some_info();
    info.grid = grid;

    SnapshotFileWriter file(world, directory / "u", info, GetParam().deflate_level,
                            GetParam().call_bytes);
    file.write("u", StoredValues<double, double>(subdomain, grid.box(), owned.data()));
    file.close();

    world.barrier();
    wrong += world.is_root() ? wrong_values(directory / "u", grid) : 0;
    world.barrier();
  }

  EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Modes, CollectiveWrite,
                         testing::Values(Mode{"plain", 0, default_call_bytes},
                                         Mode{"plain_in_several_calls", 0, 4096},
                                         Mode{"deflate", 1, default_call_bytes},
                                         Mode{"deflate_in_several_calls", 1, 4096}),
                         [](auto const& test) { return test.param.name; });

TEST(WritePlan, CoversEachShareOnceAndNeverSplitsAChunkLayer) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  for (Extent3 const points : {Extent3{33, 20, 100}, Extent3{700, 1300, 1}, Extent3{5, 6, 7}}) {
    Grid const grid = grid_of(points);
    for (Extent3 const parts : decompositions(grid, world.size())) {
      GlobalBox const share = Subdomain(grid, parts, world.rank()).owned_global();
      WritePlan const plan = plan_write(world, points, share, sizeof(double), 40'000);
      std::int64_t const layer = chunk_extent(points)[plan.axis];
      std::int64_t covered = 0;

      for (std::int64_t call = 0; call < plan.calls; ++call) {
        GlobalBox const piece = plan.piece(share, call);
        covered += piece.point_count();
        EXPECT_TRUE(share.contains(piece));
        if (!piece.empty()) {
          EXPECT_EQ((piece.upper[plan.axis] - 1) / plan.block, piece.lower[plan.axis] / plan.block);
        }
      }

      EXPECT_EQ(covered, share.point_count());
      EXPECT_EQ(plan.block % layer, 0);
    }
  }
}

TEST(WritePlan, HandsOverNoMoreThanTheLimitWhereALayerFits) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Extent3 const points{64, 64, 1024};
  GlobalBox const share =
      Subdomain(grid_of(points), {1, 1, world.size()}, world.rank()).owned_global();
  std::size_t const limit = 3 * 16 * 64 * 64 * sizeof(float);

  WritePlan const plan = plan_write(world, points, share, sizeof(float), limit);

  EXPECT_GT(plan.calls, 1);
  for (std::int64_t call = 0; call < plan.calls; ++call) {
    EXPECT_LE(plan.piece(share, call).point_count() * sizeof(float), limit);
  }
}

TEST(ChunkExtent, IsSmallAndEqualForAnySize) {
  EXPECT_EQ(chunk_extent({1, 1, 1}), (Extent3{1, 1, 1}));
  EXPECT_EQ(chunk_extent({513, 100, 1}), (Extent3{257, 100, 1}));
  EXPECT_EQ(chunk_extent({129, 128, 17}), (Extent3{65, 128, 9}));
}

}  // namespace
}  // namespace isotherm::test
