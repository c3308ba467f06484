#include <gtest/gtest.h>

#include <random>

#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot_file.hpp"
#include "tests/io/support.hpp"

// Many small files of odd sizes, written by several ranks. Every value must be in its place.

namespace isotherm::test {
namespace {

struct Mode {
  char const* name;
  int deflate_level;
  std::size_t round_bytes;  ///< small values give several rounds per field
};

class SharedWrite : public testing::TestWithParam<Mode> {};

Extent3 random_points(std::mt19937& engine) {
  std::uniform_int_distribution<std::int64_t> size(8, 48);
  Extent3 points{size(engine), size(engine), size(engine)};
  points.z = engine() % 4 == 0 ? 1 : points.z;
  return points;
}

/// Returns the number of values that differ from what was written, as a single rank reads them.
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

TEST_P(SharedWrite, ManySmallFilesOfOddSizesAreExact) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  SharedDirectory const directory(world);
  std::mt19937 engine(42);
  std::size_t wrong = 0;

  for (int write = 0; write < 25; ++write) {
    Grid const grid = grid_of(random_points(engine));
    auto const ways = decompositions(grid, world.size());
    Subdomain const subdomain(grid, ways[engine() % ways.size()], world.rank());
    std::vector<double> const owned = values_of<double>(subdomain);
    SnapshotInfo info = some_info();
    info.grid = grid;

    SnapshotFileWriter file(world, directory / "u", info, GetParam().deflate_level,
                            GetParam().round_bytes);
    (void)file.write("u", StoredValues<double, double>(subdomain, grid.box(), owned.data()));
    file.close();

    world.barrier();
    wrong += world.is_root() ? wrong_values(directory / "u", grid) : 0;
    world.barrier();
  }

  EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Modes, SharedWrite,
                         testing::Values(Mode{"plain", 0, default_round_bytes},
                                         Mode{"deflate", 1, default_round_bytes},
                                         Mode{"deflate_in_several_rounds", 1, 4096}),
                         [](auto const& test) { return test.param.name; });

}  // namespace
}  // namespace isotherm::test
