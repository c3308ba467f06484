#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/io/support.hpp"

// Values that exceed the range of the stored type.

namespace isotherm::test {
namespace {

constexpr double beyond_float32 = -1e39;

class OutOfRangeTest : public testing::Test {
 protected:
  mpi::Communicator const world{MPI_COMM_WORLD};
  SharedDirectory const directory{world};
  Grid const grid = grid_of({12, 9, 1});
  Subdomain const subdomain{grid, choose_decomposition(grid, world.size()), world.rank()};
  std::filesystem::path const path = directory / "u_000001.vtkhdf";

  /// The numbers of values_of(), except for one value at `point`, which a single rank owns.
  [[nodiscard]] std::vector<double> values_with(Index3 point, double value) const {
    std::vector<double> values = values_of<double>(subdomain);
    GlobalBox const mine = subdomain.owned_global();
    if (mine.contains(point.x, point.y, point.z)) {
      Index3 const at = point - mine.lower;
      values[static_cast<std::size_t>(at.x + subdomain.extent().x * at.y)] = value;
    }
    return values;
  }

  std::string refusal(std::vector<double> const& values, std::vector<double> const& source,
                      StorageOptions const& options) {
    return message_of<OutOfRange>([&] {
      write_snapshot<double>(world, path, some_info(), subdomain, values.data(),
                             {{"source", source.data()}}, options);
    });
  }
};

TEST_F(OutOfRangeTest, OverflowOfFloat32IsRefusedAndKeepsTheOldFile) {
  std::vector<double> const sound = values_of<double>(subdomain);
  std::vector<double> const values = values_with({11, 8, 0}, beyond_float32);
  ASSERT_EQ(refusal(sound, sound, {.as_float32 = true}), "");
  std::uint64_t const checksum = read_snapshot_info(path).checksum;

  std::string const said = refusal(values, sound, {.as_float32 = true});

  EXPECT_NE(said.find("\"u\" has values up to 1e+39"), std::string::npos) << said;
  world.barrier();
  EXPECT_EQ(read_snapshot_info(path).checksum, checksum);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
}

TEST_F(OutOfRangeTest, OtherFieldsAreChecked) {
  std::string const said =
      refusal(values_of<double>(subdomain), values_with({0, 3, 0}, 1e300), {.as_float32 = true});

  EXPECT_NE(said.find("\"source\" has values up to 1e+300"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(OutOfRangeTest, OnlyStoredValuesAreChecked) {
  std::vector<double> const values = values_with({11, 8, 0}, beyond_float32);
  std::vector<double> const sound = values_of<double>(subdomain);
  GlobalBox const without{{0, 0, 0}, {12, 8, 1}};
  GlobalBox const with{{11, 0, 0}, {12, 9, 1}};

  EXPECT_EQ(refusal(values, sound, {}), "");
  EXPECT_EQ(refusal(values, sound, {.as_float32 = true, .cut = without}), "");
  EXPECT_NE(refusal(values, sound, {.as_float32 = true, .cut = with}), "");
}

TEST_F(OutOfRangeTest, ValuesThatRoundToTheLargestAreAccepted) {
  double const largest = static_cast<double>(std::numeric_limits<float>::max());
  double const half_a_step = std::ldexp(1.0, 103);
  std::vector<double> const sound = values_of<double>(subdomain);

  EXPECT_EQ(
      refusal(values_with({5, 5, 0}, largest + 0.9 * half_a_step), sound, {.as_float32 = true}),
      "");
  EXPECT_NE(
      refusal(values_with({5, 5, 0}, largest + 1.1 * half_a_step), sound, {.as_float32 = true}),
      "");
}

}  // namespace
}  // namespace isotherm::test
