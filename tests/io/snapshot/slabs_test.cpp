#include "io/snapshot/datasets/slabs.hpp"

#include <gtest/gtest.h>

// The division of a rank's values into contiguous parts.

namespace isotherm::test {
namespace {

/// The file positions of a box's points, in memory order, in a file of `points`.
std::vector<std::int64_t> numbers_of(GlobalBox box, Extent3 points) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        numbers.push_back(i + points.x * (j + points.y * k));
      }
    }
  }
  return numbers;
}

struct Runs {
  std::vector<std::int64_t> numbers{};  ///< positions of all points
  std::int64_t count = 0;
};

Runs runs_of(GlobalBox box, Extent3 points) {
  Runs runs;
  for_each_run(box, points, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) runs.numbers.push_back(first + i);
    ++runs.count;
  });
  return runs;
}

constexpr Extent3 points{7, 6, 5};
GlobalBox const whole{{0, 0, 0}, {7, 6, 5}};
GlobalBox const planes{{0, 0, 1}, {7, 6, 4}};
GlobalBox const rows{{0, 2, 1}, {7, 5, 4}};
GlobalBox const middle{{1, 2, 1}, {5, 5, 4}};

TEST(Slabs, CoverTheShareInMemoryOrder) {
  for (GlobalBox const& share : {whole, planes, rows, middle}) {
    for (std::int64_t const maximum : {1, 7, 12, 21, 50, 100000}) {
      std::vector<std::int64_t> numbers;
      for (GlobalBox const& slab : slabs(share, maximum)) {
        EXPECT_LE(slab.point_count(), std::max(maximum, share.extent().x));
        for (std::int64_t const n : numbers_of(slab, points)) numbers.push_back(n);
      }
      EXPECT_EQ(numbers, numbers_of(share, points));
    }
  }
  EXPECT_TRUE(slabs(GlobalBox{}, 10).empty());
}

TEST(Slabs, RunsAreAsLongAsPossible) {
  for (GlobalBox const& box : {whole, planes, rows, middle}) {
    EXPECT_EQ(runs_of(box, points).numbers, numbers_of(box, points));
  }
  EXPECT_EQ(runs_of(whole, points).count, 1);
  EXPECT_EQ(runs_of(planes, points).count, 1);
  EXPECT_EQ(runs_of(rows, points).count, 3);    // one per plane
  EXPECT_EQ(runs_of(middle, points).count, 9);  // one per row
}

}  // namespace
}  // namespace isotherm::test
