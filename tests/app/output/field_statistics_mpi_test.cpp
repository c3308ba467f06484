#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/run/output/field_statistics.hpp"
#include "decomposition/field/means.hpp"
#include "decomposition/grid/subdomain.hpp"

// Mean and extremes of a field, weighted by volume.

namespace isotherm::app {
namespace {

/// The statistics of a field with value_at(x, y, z) at each point that is not excluded.
template <class Real, class ValueAt>
FieldStatistics statistics_of(Grid const& grid, ValueAt const& value_at,
                              PointSet const& excluded = {}, PointShare const& shares = {}) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Subdomain const part(grid, {world.size(), 1, 1}, world.rank());
  std::vector<Real> values;
  GlobalBox const box = part.owned_global();
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        values.push_back(static_cast<Real>(
            value_at(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k))));
      }
    }
  }
  return field_statistics(world, part, std::span<Real const>(values),
                          PointMask(box, excluded, shares));
}

/// A grid for which the trapezoidal rule matters: a graded axis, axis ends, and a periodic axis.
Grid uneven_grid() {
  Grid const grid = make_grid(3, {7, 4, 8}, {0, -1, 0}, {2, 2, 1}, {false, false, true});
  return with_coordinates(grid, 0, {0, 0.1, 0.3, 0.5, 0.9, 1.6, 2});
}

template <class Real>
void expect_mean_by_volume(double tolerance) {
  // The rule is exact for linear functions of x and y: their mean is the value at the centre of the
  // box, 1 and 0.5.
  auto const found = statistics_of<Real>(
      uneven_grid(), [](double x, double y, double z) { return x - 4 * y + (z < 0.1 ? 8 : 0); });
  EXPECT_EQ(found.minimum, static_cast<double>(static_cast<Real>(-8.0)));
  EXPECT_EQ(found.largest, 14.0);
  EXPECT_NEAR(found.mean, 1 - 4 * 0.5 + 8 / 8.0, tolerance);
}

TEST(FieldStatistics, MeanIsWeightedByVolume) {
  expect_mean_by_volume<double>(1e-14);
  expect_mean_by_volume<float>(1e-6);
}

/// On three points the trapezoidal rule gives (0/2 + 1/4 + 1/2) / 2 for z².
TEST(FieldStatistics, MeanHasHalfWeightsAtAxisEnds) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  for (int const axis : {0, 1, 2}) {
    Extent3 points{4, 5, 6};
    points[axis] = 3;
    if (points.x < world.size()) continue;  // ranks divide the x axis
    auto const found = statistics_of<double>(make_grid(3, points, {}, {1, 1, 1}, {}),
                                             [&](double x, double y, double z) {
                                               double const at = PerAxis<double>{x, y, z}[axis];
                                               return at * at;
                                             });
    EXPECT_NEAR(found.mean, 0.375, 1e-15) << axis;
  }
}

TEST(FieldStatistics, SumsAreFloat64) {
  Grid const grid = make_grid(2, {1000, 1000, 1}, {}, {1, 1, 1}, {true, true, false});
  float const offset = 16777217.0F / 16.0F;  // sums in float32 would lose digits
  auto const found = statistics_of<float>(
      grid, [&](double x, double, double) { return offset + (x < 0.5 ? 0.0F : 1.0F); });
  EXPECT_NEAR(found.mean, static_cast<double>(offset) + 0.5, 1e-7);
}

TEST(FieldStatistics, MeanOfAConstantFieldIsExact) {
  auto const found = statistics_of<double>(uneven_grid(), [](auto...) { return 0.1; });
  EXPECT_EQ(found.mean, 0.1);
}

/// The place of an extreme is its first point in the order of the grid, whichever rank has it.
TEST(FieldStatistics, ExtremesHaveAPlace) {
  Grid const grid = uneven_grid();
  auto const value_at = [](double x, double y, double z) {
    return x == 1.6 && y == 0.0 ? -2.0 : (x == 0.3 || x == 2.0) && z >= 0.5 ? 5.0 : 1.0;
  };
  auto const found = statistics_of<double>(grid, value_at);
  EXPECT_EQ(found.minimum_at, (Index3{5, 1, 0}));
  EXPECT_EQ(found.largest_at, (Index3{2, 0, 4}));

  auto const rest = statistics_of<double>(
      grid, value_at, [](Index3 point) { return point.x == 2 || point.x == 5; });
  EXPECT_EQ(rest.minimum_at, (Index3{0, 0, 0}));
  EXPECT_EQ(rest.largest_at, (Index3{6, 0, 4}));
  auto const none = statistics_of<double>(grid, value_at, [](Index3) { return true; });
  EXPECT_FALSE(none.minimum_at || none.largest_at);
}

/// The mean of the rest does not depend on the number of ranks: it is that of one exact sum.
TEST(FieldStatistics, LeaveOutExcludedPoints) {
  Grid const grid = uneven_grid();
  auto const value_at = [](double x, double y, double z) { return x * x - 0.1 * y + z / 3.0; };
  auto const excluded = [](Index3 point) { return point.x < 2 || point.y == 3; };
  ExactTally tally;
  for (std::int64_t i = 2; i < 7; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 8; ++k) {
        double const weight = trapezoidal_weights(grid, 0)[static_cast<std::size_t>(i)] *
                              trapezoidal_weights(grid, 1)[static_cast<std::size_t>(j)];
        tally.add(weight,
                  value_at(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k)));
        tally.add_weight(weight);
      }
    }
  }
  mpi::Communicator const alone(MPI_COMM_SELF);
  MeanAndExtremes const wanted = tally.over(alone, tally.weights(alone), 1.0);

  auto const found = statistics_of<double>(grid, value_at, excluded);

  EXPECT_EQ(found.mean, wanted.mean);
  EXPECT_EQ(found.minimum, wanted.minimum);
  EXPECT_EQ(found.largest, wanted.largest);
  auto const none = statistics_of<double>(grid, value_at, [](Index3) { return true; });
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.minimum) && std::isnan(none.largest));
}

/// An excluded point whose control volume reaches into the medium extrapolates the field beyond the
/// surface. It has a part in the mean only, unless the medium has no other points.
TEST(FieldStatistics, ExtremesLeaveOutPointsBeyondTheSurface) {
  Grid const grid = uneven_grid();
  auto const value_at = [](double x, double, double) { return x; };
  auto const beyond = [](Index3 point) { return point.x < 2 || point.x > 3; };
  auto const share = [](Index3 point) { return point.x < 2 ? 0.0 : point.x < 4 ? 0.9 : 0.4; };
  auto const found = statistics_of<double>(grid, value_at, beyond, share);
  EXPECT_EQ(found.minimum, grid.coordinate(0, 2));
  EXPECT_EQ(found.largest, grid.coordinate(0, 3));
  EXPECT_EQ(found.largest_at->x, 3);
  EXPECT_GT(found.mean, found.largest);

  auto const one = [](Index3 point) { return point.x != 3; };
  auto const single = statistics_of<double>(grid, value_at, one, share);
  EXPECT_EQ(single.minimum, grid.coordinate(0, 3));
  EXPECT_EQ(single.largest, grid.coordinate(0, 3));
  EXPECT_GT(single.mean, single.largest);

  auto const all = statistics_of<double>(
      grid, value_at, [](Index3) { return true; }, share);
  EXPECT_EQ(all.minimum, grid.coordinate(0, 2));
  EXPECT_EQ(all.largest, grid.upper(0));
  EXPECT_EQ(all.minimum_at->x, 2);
}

}  // namespace
}  // namespace isotherm::app
