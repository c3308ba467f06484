#include "case/data/data_blocks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>

#include "io/snapshot/datasets/value_dataset.hpp"
#include "tests/support/data_file.hpp"

// The cache of blocks through which values of a dataset are read.

namespace isotherm::test {
namespace {

double number_of(Index3 p) { return 0.1 + static_cast<double>(p.x + 100 * p.y + 10000 * p.z); }

/// A dataset of 37 x 23 x 19 values, in the order x, y, z.
class BlocksOfADataset : public testing::Test {
 protected:
  static constexpr Extent3 points{37, 23, 19};
  std::filesystem::path path_ =
      testing::TempDir() + "data_blocks_" + std::to_string(getpid()) + ".h5";

  void SetUp() override {
    DataFile file(path_);
    std::vector<double> values;
    for (std::int64_t k = 0; k < points.z; ++k) {
      for (std::int64_t j = 0; j < points.y; ++j) {
        for (std::int64_t i = 0; i < points.x; ++i) values.push_back(number_of({i, j, k}));
      }
    }
    file.add("plain", {19, 23, 37}, values);
    file.add("packed", {19, 23, 37}, values, H5T_IEEE_F64LE, {4, 5, 6});
  }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] ValueDataset dataset(std::string const& name) const {
    return {path_, name, {{19, 23, 37}, "z, y, x", "the grid's"}};
  }
};

TEST_F(BlocksOfADataset, ReturnAllValuesInAnyOrder) {
  std::minstd_rand random(7);
  for (char const* const name : {"plain", "packed"}) {
    ValueDataset const stored = dataset(name);
    DataBlocks few(stored, 1), many(stored);
    for (int trial = 0; trial < 5000; ++trial) {
      auto const below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
      Index3 const point{below(points.x), below(points.y), below(points.z)};
      ASSERT_EQ(few.at(point), number_of(point)) << name;
      ASSERT_EQ(many.at(point), number_of(point)) << name;
    }
  }
}

/// Reads like a method that visits all points and their neighbours, in 2 planes at a time.
TEST_F(BlocksOfADataset, AreReadOnceInPlaneOrder) {
  for (char const* const name : {"plain", "packed"}) {
    ValueDataset const stored = dataset(name);
    DataBlocks blocks(stored, 1);
    for (std::int64_t first = 0; first < points.z; first += 2) {
      for (std::int64_t k = std::max<std::int64_t>(0, first - 1); k < std::min(points.z, first + 3);
           ++k) {
        for (std::int64_t j = 0; j < points.y; ++j) {
          for (std::int64_t i = 0; i < points.x; ++i) {
            ASSERT_EQ(blocks.at({i, j, k}), number_of({i, j, k}));
          }
        }
      }
    }
    EXPECT_EQ(blocks.values_read(), points.x * points.y * points.z) << name;
  }
}

TEST_F(BlocksOfADataset, AreNotAllCached) {
  ValueDataset const stored = dataset("packed");
  DataBlocks blocks(stored, 1);
  (void)blocks.at({0, 0, 0});
  for (std::int64_t k = 0; k < points.z; ++k) {
    for (std::int64_t j = 0; j < points.y; ++j) {
      for (std::int64_t i = 0; i < points.x; ++i) (void)blocks.at({i, j, k});
    }
  }
  std::int64_t const all = blocks.values_read();
  (void)blocks.at({0, 0, 0});
  EXPECT_GT(blocks.values_read(), all);
}

}  // namespace
}  // namespace isotherm::test
