#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "io/snapshot/checks/block_checksums.hpp"
#include "io/snapshot/checks/block_grid.hpp"
#include "io/snapshot/datasets/slabs.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"

// Fields that threads process in several slabs, and damage in one of them.

namespace isotherm::test {
namespace {

class ManySlabs : public testing::Test {
 protected:
  void write(Subdomain const& subdomain, std::vector<double> const& values,
             StorageOptions const& options) {
    write_snapshot<double>(world, path, some_info(), subdomain, values.data(), {}, options);
  }
  std::vector<double> read(Subdomain const& subdomain) {
    std::vector<double> found(static_cast<std::size_t>(subdomain.owned().point_count()));
    read_snapshot(world, path, subdomain, found.data());
    return found;
  }
  /// The checksums of the blocks of u, as stored in the file.
  [[nodiscard]] std::vector<std::uint64_t> checksums() const {
    hdf5::File const file = open_for_reading(path);
    hdf5::Group const own = open_group(file.get(), "isotherm");
    return read_block_checksums(own.get(), grid.points, std::filesystem::file_size(path))
        .of_field.at("u");
  }
  /// Changes the value of a point in an uncompressed file; for the root only.
  void spoil(Index3 at) {
    std::uint64_t place = 0;
    {
      hdf5::File const file = open_for_reading(path);
      place = H5Dget_offset(open_dataset(file.get(), "/VTKHDF/PointData/u").get());
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    Extent3 const n = grid.points;
    file.seekp(static_cast<std::streamoff>(place) + 8 * (at.x + n.x * (at.y + n.y * at.z)));
    file.put('\x55');
  }
  std::string refusal(Subdomain const& subdomain) {
    return message_of<InputError>([&] { (void)read(subdomain); });
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
  /// Several slabs for each of four ranks, and not a whole number of them.
  Grid grid = grid_of({129, 110, 75});
};

TEST_F(ManySlabs, ReadBackExactly) {
  ASSERT_GT(8 * grid.point_count(), 2 * 4 * slab_bytes);
  std::vector<std::uint64_t> first_checksums;
  for (int const level : {0, 1}) {
    auto const ways = decompositions(grid, world.size());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Subdomain const writer(grid, ways[way], world.rank());
      Subdomain const reader(grid, ways[(way + 1) % ways.size()], world.rank());
      std::vector<double> const values = values_of<double>(writer);

      write(writer, values, {.deflate_level = level});

      EXPECT_EQ(read_snapshot_info(path).checksum, field_checksum(world, writer, values.data()));
      if (way == 0) first_checksums = checksums();
      EXPECT_EQ(checksums(), first_checksums);
      EXPECT_EQ(read(reader), values_of<double>(reader)) << "level " << level << ", way " << way;
      world.barrier();
    }
  }
}

TEST_F(ManySlabs, NonFiniteValueKeepsTheOldFile) {
  Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<double> const sound = values_of<double>(subdomain);
  for (int const level : {0, 1}) {
    write(subdomain, sound, {.deflate_level = level, .must_be_finite = true});
    std::vector<double> values = sound;
    if (world.rank() == world.size() - 1) {
      values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    }

    std::string const said = message_of<NotFinite>(
        [&] { write(subdomain, values, {.deflate_level = level, .must_be_finite = true}); });

    EXPECT_EQ(said, "the field \"u\" contains values that are infinite or not a number");
    EXPECT_EQ(read(subdomain), sound);
    world.barrier();
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
    world.barrier();
  }
}

TEST_F(ManySlabs, NonFiniteValueCannotBeResumed) {
  Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<double> values = values_of<double>(subdomain);
  if (world.is_root()) values.back() = -std::numeric_limits<double>::infinity();
  for (int const level : {0, 1}) {
    write(subdomain, values, {.deflate_level = level});

    std::string const said = message_of<InputError>([&] { (void)read(subdomain); });

    EXPECT_NE(said.find("is damaged: it contains values that are infinite or not a number"),
              std::string::npos)
        << said;
    world.barrier();
  }
}

TEST_F(ManySlabs, DamageIsReportedWithItsBlock) {
  Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
  write(subdomain, values_of<double>(subdomain), {});
  ASSERT_EQ(checksums().size(), 3U);  // 36 planes each

  if (world.is_root()) spoil({77, 100, 36});
  world.barrier();
  EXPECT_EQ(refusal(subdomain),
            path.string() + " is damaged: in the values of \"u\": the checksum of the block of " +
                name_of_points({{0, 0, 36}, {129, 110, 72}}, grid.points, &grid) + " is wrong");
  if (world.is_root()) spoil({0, 0, 74});
  world.barrier();
  EXPECT_EQ(refusal(subdomain),
            path.string() + " is damaged: in the values of \"u\": the checksum of the block of " +
                name_of_points({{0, 0, 36}, {129, 110, 72}}, grid.points, &grid) +
                " is wrong (2 of 3 blocks are damaged)");
}

}  // namespace
}  // namespace isotherm::test
