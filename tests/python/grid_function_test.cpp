#include "python/in_memory/grid_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// Arrays and Python functions in place of expressions.

namespace isotherm {
namespace {

/// A function on a part of a grid that depends on index and time, and records the times of its
/// calls.
struct Giver {
  std::vector<double> times{};

  GivenFunction function(bool varies) {
    return {[this](double time_s, GlobalBox box) {
              times.push_back(time_s);
              auto* const values = new double[static_cast<std::size_t>(box.point_count())];
              std::size_t next = 0;
              for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
                for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
                  for (std::int64_t i = box.lower.x; i < box.upper.x; ++i)
                    values[next++] =
                        100.0 * static_cast<double>(j) + static_cast<double>(i) + time_s;
              return std::shared_ptr<double const>(values, std::default_delete<double const[]>());
            },
            varies};
  }
};

Grid const grid = make_grid(2, {11, 7, 1}, {{-1.0, 0.3, 0.0}}, {{2.0, 0.9, 0.0}}, {});

double at(ScalarFunction const& function, std::int64_t i, std::int64_t j, double time_s) {
  return function(grid.coordinate(0, i), grid.coordinate(1, j), 0.0, time_s);
}

TEST(GridFunction, HasValuesAtItsPointsOnly) {
  Giver giver;
  ScalarFunction const function = lookup(giver.function(false), grid, {{3, 2, 0}, {8, 7, 1}});

  for (std::int64_t j = 2; j < 7; ++j)
    for (std::int64_t i = 3; i < 8; ++i)
      EXPECT_EQ(at(function, i, j, 5.0), 100.0 * static_cast<double>(j) + static_cast<double>(i));
  EXPECT_TRUE(std::isnan(at(function, 2, 4, 0.0)));
  EXPECT_TRUE(std::isnan(at(function, 8, 4, 0.0)));
  EXPECT_TRUE(std::isnan(at(function, 4, 1, 0.0)));
  EXPECT_EQ(giver.times, std::vector<double>{0.0});
  EXPECT_FALSE(function.is_constant());
}

TEST(GridFunction, CachesTwoAlternatingTimes) {
  Giver giver;
  ScalarFunction const function = lookup(giver.function(true), grid, grid.box());

  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(at(function, 4, 1, 0.5), 104.5);
    EXPECT_EQ(at(function, 4, 1, 0.75), 104.75);
  }
  EXPECT_EQ(at(function, 0, 0, 2.0), 2.0);
  EXPECT_EQ(giver.times, (std::vector<double>{0.5, 0.75, 2.0}));
  EXPECT_TRUE(function.varies_in_time);
}

}  // namespace
}  // namespace isotherm
