#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <omp.h>

#include "io/snapshot/compare/compare_fields.hpp"
#include "tests/io/support.hpp"

// Comparing two files: point by point, or interpolated.

namespace isotherm::test {
namespace {

using Formula = std::function<double(double x, double y, double z)>;

double linear(double x, double y, double z) { return 3 * x - 2 * y + 0.5 * z + 1; }
double curved(double x, double y, double z) {
  return std::sin(3 * x) * std::cos(2 * y) + x * z * z;
}

/// The place of a coordinate on an axis: the point below it, and the weight of the next one.
std::pair<std::int64_t, double> place_on(Grid const& grid, int axis, double coordinate) {
  if (grid.points[axis] == 1) return {0, 0.0};
  double const at = (coordinate - grid.lower[axis]) / grid.spacing[axis];
  auto const below = std::min(static_cast<std::int64_t>(std::floor(at + 1e-9)),
                              grid.points[axis] - (grid.periodic[axis] ? 1 : 2));
  return {below, at - static_cast<double>(below)};
}

/// Trilinear interpolation: the weighted sum over the eight corners of a cell.
double interpolated(Grid const& grid, Formula const& formula, PerAxis<double> const& where) {
  double sum = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1.0;
    PerAxis<double> at{};
    for (int axis = 0; axis < 3; ++axis) {
      auto const [below, above_weight] = place_on(grid, axis, where[axis]);
      bool const above = ((corner >> axis) & 1) != 0;
      weight *= above ? above_weight : 1.0 - above_weight;
      at[axis] = grid.coordinate(axis, (below + (above ? 1 : 0)) % grid.points[axis]);
    }
    if (weight != 0.0) sum += weight * formula(at[0], at[1], at[2]);
  }
  return sum;
}

/// Compares two results bit by bit.
testing::AssertionResult same(FieldDifference const& a, FieldDifference const& b) {
  bool const equal = a.points == b.points && a.different_points == b.different_points &&
                     a.largest == b.largest && a.largest_at == b.largest_at &&
                     a.root_mean_square == b.root_mean_square &&
                     a.reference_largest == b.reference_largest &&
                     a.reference_root_mean_square == b.reference_root_mean_square;
  return equal ? testing::AssertionSuccess()
               : testing::AssertionFailure() << a.largest << ' ' << a.root_mean_square << " and "
                                             << b.largest << ' ' << b.root_mean_square;
}

class Compared : public testing::Test {
 protected:
  template <class Real = double>
  void write(std::filesystem::path const& path, Grid const& grid, Formula const& formula,
             StorageOptions const& options = {}) {
    Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<Real> values;
    GlobalBox const box = part.owned_global();
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
          values.push_back(static_cast<Real>(
              formula(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k))));
        }
      }
    }
    SnapshotInfo info = some_info();
    info.can_resume = false;  // files that can resume refuse values that are not finite
    write_snapshot<Real>(world, path, info, part, values.data(), {}, options);
    world.barrier();
  }

  /// Compares the fields on all ranks, and expects the same result from one rank and from several
  /// threads.
  FieldDifference compared() {
    FieldDifference const found = compare_fields(world, a, b);
    EXPECT_TRUE(same(found, compare_fields(alone, a, b)));
    int const threads = omp_get_max_threads();
    omp_set_num_threads(3);
    EXPECT_TRUE(same(found, compare_fields(world, a, b)));
    omp_set_num_threads(threads);
    return found;
  }

  std::string refusal() {
    return message_of<InputError>([&] { (void)compare_fields(world, a, b); });
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  mpi::Communicator alone{MPI_COMM_SELF};
  SharedDirectory directory{world};
  std::filesystem::path a = directory / "u_000001.vtkhdf";
  std::filesystem::path b = directory / "u_000002.vtkhdf";
};

TEST_F(Compared, SameGridIsComparedPointByPoint) {
  // read in several pieces
  Grid const grid = make_grid(3, {150, 140, 250}, {0, 0, 0}, {1, 1, 1}, {});
  write(a, grid, curved);
  write(b, grid, [&](double x, double y, double z) {
    bool const here = x == grid.coordinate(0, 7) && z > 0.99;
    return curved(x, y, z) + (here ? 0.25 : 0.0);
  });

  FieldDifference const found = compared();

  EXPECT_FALSE(found.interpolated.has_value());
  EXPECT_TRUE(found.same_coordinates);
  EXPECT_EQ(found.points, grid.point_count());
  EXPECT_EQ(found.different_points, 140 * 3) << "the planes 247 to 249";
  EXPECT_NEAR(found.largest, 0.25, 1e-15);
  EXPECT_EQ(found.largest_at.x, 7);
  EXPECT_NEAR(found.root_mean_square,
              0.25 * std::sqrt(420.0 / static_cast<double>(grid.point_count())), 1e-15);
  EXPECT_EQ(compare_fields(world, a, a).different_points, 0);
}

TEST_F(Compared, ReportsTheFirstOfEqualLargestDifferences) {
  Grid const grid = make_grid(3, {64, 64, 64}, {0, 0, 0}, {1, 1, 1}, {});  // read in several slabs
  write(a, grid, [](double, double, double) { return 2.0; });
  write(b, grid, [](double, double, double) { return 3.5; });

  FieldDifference const found = compared();

  EXPECT_EQ(found.largest, 1.5);
  EXPECT_EQ(found.largest_at, (Index3{0, 0, 0}));
}

TEST_F(Compared, NestedGridsNeedNoInterpolation) {
  write(a, make_grid(3, {9, 7, 5}, {0, 1, 2}, {1, 2, 3}, {}), curved);
  write(b, make_grid(3, {17, 13, 17}, {0, 1, 2}, {1, 2, 3}, {}), curved, {.deflate_level = 1});

  FieldDifference const found = compared();

  EXPECT_LT(found.largest, 1e-14) << "where the coordinates are rounded the formula is, too";
  ASSERT_TRUE(found.interpolated.has_value());
  EXPECT_EQ(found.interpolated->coinciding, 9 * 7 * 5);
  EXPECT_EQ(found.points, 9 * 7 * 5);
  EXPECT_FALSE(found.same_coordinates);
}

TEST_F(Compared, OtherGridsAreInterpolatedLinearly) {
  write(a, make_grid(3, {12, 31, 8}, {0, 0, 0}, {1, 2, 1}, {}), linear);
  write(b, make_grid(3, {10, 14, 9}, {-1, -1, 0}, {2, 2, 1.5}, {}), linear);

  FieldDifference const found = compared();

  EXPECT_LT(found.largest, 1e-14);
  EXPECT_EQ(found.points, 12 * 31 * 8);
  ASSERT_TRUE(found.interpolated.has_value());
  EXPECT_LT(found.interpolated->coinciding, 12 * 31);
}

TEST_F(Compared, InterpolationIsTrilinear) {
  Grid const at = make_grid(3, {12, 31, 8}, {0, 0, 0}, {1, 2, 1}, {});
  Grid const grid = make_grid(3, {10, 14, 9}, {-0.3, 0.5, 0.2}, {0.72, 3.1, 1.5}, {});
  write(a, at, linear);
  write(b, grid, curved);
  double largest = 0.0;
  double squares = 0.0;
  std::int64_t points = 0;
  Index3 largest_at;
  for (std::int64_t k = 0; k < 8; ++k) {
    for (std::int64_t j = 0; j < 31; ++j) {
      for (std::int64_t i = 0; i < 12; ++i) {
        PerAxis<double> const where{at.coordinate(0, i), at.coordinate(1, j), at.coordinate(2, k)};
        if (where[0] > 0.72 || where[1] < 0.5 || where[2] < 0.2) continue;
        double const difference =
            std::abs(interpolated(grid, curved, where) - linear(where[0], where[1], where[2]));
        ++points;
        squares += difference * difference;
        if (difference > largest) largest_at = {i, j, k};
        largest = std::max(largest, difference);
      }
    }
  }

  FieldDifference const found = compared();

  EXPECT_EQ(found.points, points);
  EXPECT_NEAR(found.largest, largest, 1e-13);
  EXPECT_EQ(found.largest_at, largest_at);
  EXPECT_NEAR(found.root_mean_square, std::sqrt(squares / static_cast<double>(points)), 1e-13);
  ASSERT_TRUE(found.interpolated.has_value());
  EXPECT_EQ(found.interpolated->common.lower, (Index3{0, 8, 2}));
  EXPECT_EQ(found.interpolated->common.upper, (Index3{8, 31, 8}));
}

TEST_F(Compared, InterpolationWrapsAroundPeriodicAxes) {
  PerAxis<bool> const periodic{true, true, false};
  Grid const grid = make_grid(2, {10, 6, 1}, {0, 0, 0}, {1, 1, 1}, periodic);
  Grid const at = make_grid(2, {35, 18, 1}, {0, 0, 0}, {1, 1, 1}, periodic);
  auto const wave = [](double x, double y, double) { return std::sin(6.5 * x) + y * y; };
  write(a, at, [&](double x, double y, double z) { return interpolated(grid, wave, {x, y, z}); });
  write(b, grid, wave);

  FieldDifference const found = compared();

  EXPECT_EQ(found.points, 35 * 18);
  EXPECT_LT(found.largest, 1e-14);
}

TEST_F(Compared, PlaneIsComparedWithAWholeField) {
  Grid const grid = make_grid(3, {12, 11, 10}, {0, 0, 0}, {1, 1, 1}, {});
  write(a, grid, curved, {.cut = GlobalBox{{0, 4, 0}, {12, 5, 10}}});
  write(b, grid, curved);

  EXPECT_EQ(compared().points, 120);
  EXPECT_EQ(compared().different_points, 0);
  std::swap(a, b);
  EXPECT_EQ(compared().points, 120);
  EXPECT_EQ(compared().different_points, 0);
  ASSERT_TRUE(compared().interpolated.has_value());
  EXPECT_EQ(compared().interpolated->common, (GlobalBox{{0, 4, 0}, {12, 5, 10}}));
}

TEST_F(Compared, MuchFinerGridIsReadInParts) {
  write<float>(a, make_grid(2, {21, 11, 1}, {0, 0, 0}, {1, 1, 1}, {}), curved);
  write<float>(b, make_grid(2, {2401, 1601, 1}, {0, 0, 0}, {1, 1, 1}, {}), curved);

  EXPECT_LT(compared().largest, 1e-6);
  EXPECT_EQ(compared().points, 21 * 11);
  EXPECT_EQ(compared().interpolated.value().coinciding, 21 * 11);
}

TEST_F(Compared, NeighboursOfZeroWeightAreIgnored) {
  auto const bad = [](double x, double, double) {
    return std::abs(x - 0.5) < 1e-9 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  };
  write(a, make_grid(2, {3, 5, 1}, {0.5, 0, 0}, {2.5, 1, 1}, {}), bad);
  write(b, make_grid(2, {3, 9, 1}, {0, 0, 0}, {1, 1, 1}, {}), bad);

  FieldDifference const found = compared();

  EXPECT_EQ(found.points, 5) << "x = 0.5 alone lies in B";
  EXPECT_EQ(found.different_points, 0);
}

TEST_F(Compared, DisjointGridsAreRefusedOnEveryRank) {
  write(a, make_grid(2, {5, 5, 1}, {0, 0, 0}, {1, 1, 1}, {}), linear);
  write(b, make_grid(2, {7, 7, 1}, {0, 1.5, 0}, {1, 2, 1}, {}), linear);

  EXPECT_EQ(refusal(), "no point of " + a.string() + " lies in the box of " + b.string() +
                           " (0 to 1 x 0 to 1 and 0 to 1 x 1.5 to 2)");
}

TEST_F(Compared, DamageIsRefusedOnEveryRank) {
  for (Extent3 const points : {Extent3{20, 21, 40}, Extent3{10, 21, 40}}) {
    for (auto const& damaged : {a, b}) {
      write(a, make_grid(3, {20, 21, 40}, {0, 0, 0}, {1, 1, 0.5}, {}), linear);
      write(b, make_grid(3, points, {0, 0, 0}, {1, 1, 1}, {}), linear);
      if (world.is_root()) {
        std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(damaged) * 4 / 5));
        file.put('\x55');
      }
      world.barrier();
      EXPECT_TRUE(refusal().starts_with(damaged.string() + " is damaged: in the values of \"u\": "))
          << refusal();
      world.barrier();
    }
  }
}

}  // namespace
}  // namespace isotherm::test
