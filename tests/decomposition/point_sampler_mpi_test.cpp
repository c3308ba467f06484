#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <utility>

#include "decomposition/field/means.hpp"
#include "decomposition/field/point_sampler.hpp"
#include "kernels/core/exact_sum.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

using Place = PerAxis<double>;

/// A pseudorandom value for each point.
template <class Real>
Real value(Index3 point) {
  auto const mixed = static_cast<double>(1 + point.x + 31 * point.y + 1009 * point.z);
  return static_cast<Real>(std::sin(mixed) * std::exp2(point.x % 5));
}

Grid grid_3d() { return make_grid(3, {11, 7, 6}, {-1, 0, 2}, {1, 3, 5}, {false, true, false}); }
Grid grid_2d() { return make_grid(2, {12, 9, 1}, {0, 0, 0}, {1, 2, 0}, {true, false, false}); }
Grid graded_3d() {
  Grid const even = make_grid(3, {11, 7, 6}, {-1, 0, 2}, {1, 3, 5}, {false, true, false});
  Grid const along_x =
      with_coordinates(even, 0, {-1.0, -0.99, -0.95, -0.9, -0.7, -0.2, 0.0, 0.5, 0.6, 0.9, 4.0});
  return with_coordinates(along_x, 2, {2.0, 2.5, 3.75, 3.76, 5.0, 9.0});
}
Grid graded_2d() {
  return with_coordinates(make_grid(2, {5, 9, 1}, {0, 0, 0}, {1, 2, 0}, {}), 0,
                          {0.0, 0.1, 0.3, 0.7, 1.5});
}
std::vector<Grid> grids() { return {grid_3d(), grid_2d(), graded_3d(), graded_2d()}; }

/// Returns the fractional index of a coordinate, searched gap by gap.
double position(Grid const& grid, int axis, double place) {
  std::int64_t below = 0;
  while (below + 1 < grid.intervals(axis) && grid.coordinate(axis, below + 1) <= place) ++below;
  return static_cast<double>(below) +
         (place - grid.coordinate(axis, below)) /
             (grid.coordinate(axis, below + 1) - grid.coordinate(axis, below));
}

std::vector<Extent3> cuts(Grid const& grid, int ranks) {
  std::vector<Extent3> parts{{ranks, 1, 1}, {1, ranks, 1}};
  if (grid.dimension == 3) parts.push_back({1, 1, ranks});
  if (ranks == 4) parts.push_back({2, 2, 1});
  return parts;
}

template <class Real>
class PointSamplerTest : public BackendTest {
 protected:
  /// Calls `check` with a field of this rank's part, for every decomposition of the grid.
  template <class Check>
  void in_all_cuts(Grid const& grid, Check const& check) {
    for (Extent3 const parts : cuts(grid, ranks_.size())) {
      SCOPED_TRACE(testing::Message() << parts.x << " x " << parts.y << " x " << parts.z);
      Subdomain const part(grid, parts, ranks_.rank());
      Queue queue = make_queue(ranks_.local_rank());
      Field<Real> field(queue, part.extent(), {1, 1, 1});
      HostBox<Real> points(field.layout().box());
      points.values.assign(points.values.size(), static_cast<Real>(1e6));  // halos must not be used
      for_each(part.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        points(i, j, k) = value<Real>(part.to_global(Index3{i, j, k}));
      });
      write_points(queue, field, points);
      check(queue, part, std::as_const(field).view());
    }
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(PointSamplerTest, Reals);

/// The reference: multilinear interpolation from all corners that are not excluded.
template <class Real>
double interpolated(Grid const& grid, Place const& place, PointSet const& excluded = {}) {
  double sum = 0.0;
  double weights = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    Index3 point{};
    double weight = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      bool const upper = (corner >> axis & 1) != 0;
      double const at = axis < grid.dimension ? position(grid, axis, place[axis]) : 0.0;
      double const below =
          std::min(std::floor(at + 1e-9), static_cast<double>(grid.intervals(axis)));
      double const beyond = std::max(0.0, at - below);
      point[axis] = static_cast<std::int64_t>(below) + (upper ? 1 : 0);
      weight *= upper ? beyond : 1.0 - beyond;
      if (grid.periodic[axis]) point[axis] %= grid.points[axis];
    }
    if (std::abs(weight) <= 1e-9 || (excluded && excluded(point))) continue;
    sum += weight * static_cast<double>(value<Real>(point));
    weights += weight;
  }
  return excluded ? sum / weights : sum;
}

TYPED_TEST(PointSamplerTest, InterpolatesLinearlyAcrossRanks) {
  for (Grid const& grid : grids()) {
    std::vector<Place> places{grid.lower};
    for (int i = 1; i <= 60; ++i) {  // across the grid, and beyond the last point of periodic axes
      Place place{};
      for (int axis = 0; axis < grid.dimension; ++axis) {
        double const share = std::fmod(0.37 * i * (axis + 1), 1.0);
        place[axis] = grid.lower[axis] + share * grid.length(axis);
      }
      places.push_back(place);
    }
    this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
      PointSampler<TypeParam> samples(this->ranks_, queue, part, places);
      std::vector<double> const found = samples.read(field);
      EXPECT_EQ(found.size(), places.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], interpolated<TypeParam>(grid, places[i]), 1e-12) << i;
      }
    });
  }
}

/// A ball of points around the lower corner, and every third point along x.
bool in_ball_or_third(Index3 point) {
  return point.x * point.x + point.y * point.y + point.z * point.z < 20 || point.x % 3 == 1;
}

TYPED_TEST(PointSamplerTest, InterpolatesFromPointsThatAreNotExcluded) {
  Grid const grid = grid_3d();
  std::vector<Place> places;
  for (int i = 0; i <= 40; ++i) {
    Place place{};
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = grid.lower[axis] + std::fmod(0.37 * i * (axis + 1), 1.0) * grid.length(axis);
    }
    places.push_back(place);
  }
  // A place on an excluded point, and one between two.
  places.push_back({grid.coordinate(0, 4), grid.coordinate(1, 5), grid.coordinate(2, 5)});
  places.push_back({grid.coordinate(0, 4), 0.5 * (grid.coordinate(1, 5) + grid.coordinate(1, 6)),
                    grid.coordinate(2, 5)});
  this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
    PointSampler<TypeParam> samples(this->ranks_, queue, part, places, in_ball_or_third);
    std::vector<double> const found = samples.read(field);
    int without_value = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      double const wanted = interpolated<TypeParam>(grid, places[i], in_ball_or_third);
      EXPECT_EQ(std::isnan(found[i]), std::isnan(wanted)) << i;
      if (std::isnan(wanted)) {
        ++without_value;
      } else {
        EXPECT_NEAR(found[i], wanted, 1e-12) << i;
      }
    }
    EXPECT_TRUE(std::isnan(found[places.size() - 1]) && std::isnan(found[places.size() - 2]));
    EXPECT_LT(2 * without_value, static_cast<int>(found.size())) << "compares few values";
  });
}

TYPED_TEST(PointSamplerTest, ReproducesValuesAtGridPointsBitForBit) {
  Grid const grid = grid_3d();
  std::vector<Place> places;
  std::vector<double> wanted;
  for (Index3 const point : {Index3{0, 0, 0}, Index3{10, 6, 5}, Index3{3, 4, 2}}) {
    places.push_back(
        {grid.coordinate(0, point.x), grid.coordinate(1, point.y), grid.coordinate(2, point.z)});
    wanted.push_back(static_cast<double>(value<TypeParam>(point)));
  }
  // where the periodic y axis closes
  places.push_back({grid.lower[0], grid.upper(1), grid.lower[2]});
  wanted.push_back(static_cast<double>(value<TypeParam>({0, 0, 0})));
  this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
    PointSampler<TypeParam> samples(this->ranks_, queue, part, places);
    EXPECT_EQ(samples.read(field), wanted);
    EXPECT_EQ(samples.read(field), wanted);  // can be read repeatedly
  });
}

/// The reference: plain loops over all points, or those of a plane, that are not excluded.
template <class Real>
MeanAndExtremes plain(Grid const& grid, int across, std::int64_t index,
                      PointSet const& excluded = {}) {
  double sum = 0.0;
  double weights = 0.0;
  double of_all = 0.0;
  MeanAndExtremes found{0.0, 1e300, -1e300};
  for_each({{}, grid.points}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Index3 const point{i, j, k};
    if (across >= 0 && point[across] != index) return;
    double weight = 1.0;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (axis == across) continue;
      std::int64_t const last = grid.points[axis] - 1;
      bool const closed = grid.periodic[axis];
      double const before = point[axis] > 0 || closed ? grid.gap(axis, point[axis] - 1) : 0.0;
      double const behind = point[axis] < last || closed ? grid.gap(axis, point[axis]) : 0.0;
      weight *= 0.5 * (before + behind);
    }
    of_all += weight;
    if (excluded && excluded(point)) return;
    auto const one = static_cast<double>(value<Real>(point));
    sum += weight * one;
    weights += weight;
    found.minimum = std::min(found.minimum, one);
    found.largest = std::max(found.largest, one);
  });
  found.mean = sum / weights;
  found.share = weights / of_all;
  return found;
}

TYPED_TEST(PointSamplerTest, MeansAndExtremesMatchPlainLoops) {
  for (Grid const& grid : grids()) {
    for (int axis = 0; axis < grid.dimension; ++axis) {
      for (std::int64_t const index :
           {std::int64_t{0}, grid.points[axis] / 2, grid.points[axis] - 1}) {
        MeanAndExtremes const want = plain<TypeParam>(grid, axis, index);
        std::vector<std::uint64_t> bits;
        this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
          PlaneMeter<TypeParam> meter(this->ranks_, queue, part, axis, index);
          MeanAndExtremes const found = meter.read(field);
          EXPECT_NEAR(found.mean, want.mean, 1e-13) << axis << ' ' << index;
          EXPECT_EQ(found.minimum, want.minimum);
          EXPECT_EQ(found.largest, want.largest);
          bits.push_back(std::bit_cast<std::uint64_t>(found.mean));
        });
        // for every decomposition
        for (std::uint64_t const one : bits) EXPECT_EQ(one, bits.front());
      }
    }
    MeanAndExtremes const want = plain<TypeParam>(grid, -1, 0);
    this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
      FieldMeter<TypeParam> meter(this->ranks_, queue, part);
      EXPECT_NEAR(meter.mean(field), want.mean, 1e-13);
      EXPECT_EQ(meter.extreme(field, true), want.largest);
      EXPECT_EQ(meter.extreme(field, false), want.minimum);
    });
  }
}

TYPED_TEST(PointSamplerTest, MeansAndExtremesLeaveOutExcludedPoints) {
  auto const expect = [](MeanAndExtremes const& found, MeanAndExtremes const& want) {
    EXPECT_NEAR(found.mean, want.mean, 1e-13);
    EXPECT_NEAR(found.share, want.share, 1e-14);
    EXPECT_EQ(found.minimum, want.minimum);
    EXPECT_EQ(found.largest, want.largest);
  };
  for (Grid const& grid : grids()) {
    std::vector<std::uint64_t> bits;
    this->in_all_cuts(grid, [&](Queue& queue, Subdomain const& part, auto field) {
      for (int axis = 0; axis < grid.dimension; ++axis) {
        // A plane in which some points are excluded, but not all.
        std::int64_t const index = grid.points[axis] - 3;
        PlaneMeter<TypeParam> plane(this->ranks_, queue, part, axis, index, in_ball_or_third);
        expect(plane.read(field), plain<TypeParam>(grid, axis, index, in_ball_or_third));
      }
      ExactMeter<TypeParam> meter(this->ranks_, queue, part, grid.box(), -1, in_ball_or_third);
      MeanAndExtremes const found = meter.read(field);
      expect(found, plain<TypeParam>(grid, -1, 0, in_ball_or_third));
      bits.push_back(std::bit_cast<std::uint64_t>(found.mean));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(meter.read(field).mean), bits.back());
    });
    for (std::uint64_t const one : bits) EXPECT_EQ(one, bits.front());
  }
  this->in_all_cuts(grid_3d(), [&](Queue& queue, Subdomain const& part, auto field) {
    PlaneMeter<TypeParam> meter(this->ranks_, queue, part, 0, 4, in_ball_or_third);
    MeanAndExtremes const found = meter.read(field);
    EXPECT_TRUE(std::isnan(found.mean) && std::isnan(found.minimum) && std::isnan(found.largest));
    EXPECT_EQ(found.share, 0.0);
  });
}

double sum_of(std::vector<double> const& terms) {
  ExactSum sum;
  for (double const term : terms) sum.add(term);
  return ExactSum::value_of(sum.parts()) + sum.not_finite();
}

TEST(ExactSum, IsRoundedOnce) {
  constexpr double minimum = 4.9406564584124654e-324;
  EXPECT_EQ(sum_of({}), 0.0);
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum_of({-1e300, -0.1, 1e300}), -0.1);
  EXPECT_EQ(sum_of({minimum, 1.0, -1.0}), minimum);
  EXPECT_EQ(sum_of({-minimum, -minimum}), -2 * minimum);
  EXPECT_EQ(sum_of({1.7e308, -1.7e308, -3.0}), -3.0);
  EXPECT_EQ(sum_of({0x1.fffffffffffffp+1, 0x1p-52}), 4.0);
  EXPECT_TRUE(std::isnan(sum_of({1.0, std::nan("")})));
}

TEST(ExactSum, AddsOtherSums) {
  ExactSum one;
  ExactSum other;
  for (double const term : {1e300, -0.25}) one.add(term);
  for (double const term : {-1e300, 0x1p-1000, -3.0}) other.add(term);
  one.add(other);
  one.add(3.25);
  EXPECT_EQ(ExactSum::value_of(one.parts()), 0x1p-1000);
  other.add(INFINITY);
  one.add(other);
  EXPECT_EQ(one.not_finite(), INFINITY);
}

TEST(ExactSum, IsIndependentOfTheDistributionOfTerms) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  ExactSum all;
  ExactSum mine;
  for (int i = 0; i < 1000; ++i) {
    double const term = std::sin(i) * std::exp2(i % 90 - 45);
    all.add(term);
    if (i * 7 % ranks.size() == ranks.rank()) mine.add(term);
  }
  EXPECT_EQ(ExactSum::value_of(ranks.sum(mine.parts())), ExactSum::value_of(all.parts()));
}

}  // namespace
}  // namespace isotherm::test
