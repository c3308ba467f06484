#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <omp.h>

#include "io/snapshot/compare/value_statistics.hpp"
#include "tests/io/support.hpp"

// Statistics of the values in a file.

namespace isotherm::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Compares bit by bit.
testing::AssertionResult same(ValueStatistics const& a, ValueStatistics const& b) {
  auto const same_extreme = [](std::optional<Extreme> const& x, std::optional<Extreme> const& y) {
    return x.has_value() == y.has_value() && (!x || (x->value == y->value && x->at == y->at));
  };
  bool const equal = a.field == b.field && a.points == b.points && a.not_finite == b.not_finite &&
                     same_extreme(a.minimum, b.minimum) && same_extreme(a.maximum, b.maximum) &&
                     a.mean == b.mean && a.root_mean_square == b.root_mean_square;
  return equal ? testing::AssertionSuccess()
               : testing::AssertionFailure() << "mean " << a.mean << " and " << b.mean << ", l2 "
                                             << a.root_mean_square << " and " << b.root_mean_square;
}

class Statistics : public testing::Test {
 protected:
  /// Writes a grid filled with value(point). `source` has three times that value, `gradient` the
  /// value times (1, 2, -2).
  template <class Real, class Value>
  void write(Grid const& grid, StorageOptions const& options, Value const& value) {
    Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<Real> u;
    std::vector<Real> source;
    std::vector<Real> gradient;
    GlobalBox const box = part.owned_global();
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
          u.push_back(static_cast<Real>(value(Index3{i, j, k})));
          source.push_back(3 * u.back());
          for (int const times : {1, 2, -2})
            gradient.push_back(static_cast<Real>(times) * u.back());
        }
      }
    }
    SnapshotInfo info = some_info();
    info.can_resume = false;  // files that can resume refuse values that are not finite
    write_snapshot<Real>(world, path, info, part, u.data(),
                         {{"source", source.data()}, {"gradient", gradient.data(), 3}}, options);
    world.barrier();
  }

  [[nodiscard]] std::vector<ValueStatistics> found(mpi::Communicator const& ranks) const {
    return value_statistics(ranks, path, read_snapshot_info(path));
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  mpi::Communicator alone{MPI_COMM_SELF};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
};

TEST_F(Statistics, MatchTheFormulaIn2D) {
  // x - 2 y on 11 x 6 points: mean 5 - 5. The trapezoidal rule gives (x - 5)² the mean
  // (2 (1 + 4 + 9 + 16) + 25) / 10 = 8.5, and (y - 2.5)² the mean
  // (2 (0.25 + 2.25) + 6.25) / 5 = 2.25; the mixed term vanishes.
  write<double>(grid_of({11, 6, 1}), {},
                [](Index3 at) { return static_cast<double>(at.x - 2 * at.y); });

  auto const all = found(world);

  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].field, "u");
  EXPECT_EQ(all[0].points, 66);
  EXPECT_EQ(all[0].not_finite, 0);
  EXPECT_EQ(all[0].minimum.value().value, -10.0);
  EXPECT_EQ(all[0].minimum.value().at, (Index3{0, 5, 0}));
  EXPECT_EQ(all[0].maximum.value().value, 10.0);
  EXPECT_EQ(all[0].maximum.value().at, (Index3{10, 0, 0}));
  EXPECT_NEAR(all[0].mean, 0.0, 1e-15);
  EXPECT_NEAR(all[0].root_mean_square, std::sqrt(8.5 + 4.0 * 2.25), 1e-14);
  EXPECT_EQ(all[1].field, "source");
  EXPECT_EQ(all[1].maximum.value().value, 30.0);
  EXPECT_EQ(all[1].components, 1);
}

/// Points on faces have half volumes; those of a graded axis have half of both gaps.
TEST_F(Statistics, MeansAreWeightedByVolume) {
  Grid const grid = with_coordinates(make_grid(2, {4, 3, 1}, {}, {1, 1, 1}, {false, true, false}),
                                     0, {0.0, 0.1, 0.4, 1.0});
  write<double>(grid, {},
                [&](Index3 at) { return grid.coordinate(0, at.x) + (at.y == 0 ? 3 : 0); });
  EXPECT_NEAR(found(world)[0].mean, 0.5 + 1.0, 1e-15);
  // u = 2 in half of the volume along x, here from the middle of a gap: 0.4 ... 1.0 of x weighs
  // (0.3 + 0.6) / 2 + 0.6 / 2 = 0.75.
  write<double>(grid, {}, [&](Index3 at) { return at.x >= 2 ? 2.0 : 0.0; });
  EXPECT_NEAR(found(world)[0].root_mean_square, std::sqrt(0.75 * 4.0), 1e-15);

  write<double>(grid, {}, [](Index3) { return 0.1; });
  EXPECT_EQ(found(world)[0].mean, 0.1);
}

TEST_F(Statistics, VectorsCountByMagnitude) {
  write<double>(grid_of({7, 6, 5}), {}, [](Index3 at) {
    return at == Index3{2, 3, 4} ? -1e300 : static_cast<double>(1 + at.x);
  });

  ValueStatistics const gradient = found(world).at(2);

  EXPECT_EQ(gradient.field, "gradient");
  EXPECT_EQ(gradient.components, 3);
  EXPECT_EQ(gradient.points, 210);
  EXPECT_EQ(gradient.not_finite, 0);
  EXPECT_EQ(gradient.minimum.value().value, 3.0);
  EXPECT_EQ(gradient.minimum.value().at, (Index3{0, 0, 0}));
  EXPECT_DOUBLE_EQ(gradient.maximum.value().value, 3e300);  // its square would overflow
  EXPECT_EQ(gradient.maximum.value().at, (Index3{2, 3, 4}));
}

TEST_F(Statistics, NonFiniteVectorsCountOnce) {
  write<float>(grid_of({8, 4, 5}), {}, [](Index3 at) { return at.x == 1 ? nan : 2.0; });

  ValueStatistics const gradient = found(world).at(2);

  EXPECT_EQ(gradient.not_finite, 20);
  EXPECT_EQ(gradient.mean, 6.0);
}

TEST_F(Statistics, SameOnAnyNumberOfRanksAndThreads) {
  Grid const grid = grid_of({150, 140, 250});  // about 5 million points
  auto const value = [](Index3 at) {
    return std::sin(0.1 * static_cast<double>(at.x * at.y)) +
           1e-3 * static_cast<double>(at.z % 100);
  };
  auto const half_at_ends = [](std::int64_t i, std::int64_t n) {
    return i == 0 || i == n - 1 ? 0.5L : 1.0L;
  };
  long double sum = 0.0L;
  long double squares = 0.0L;
  for (std::int64_t k = 0; k < 250; ++k) {
    for (std::int64_t j = 0; j < 140; ++j) {
      for (std::int64_t i = 0; i < 150; ++i) {
        auto const u = static_cast<long double>(value({i, j, k}));
        auto const weight = half_at_ends(i, 150) * half_at_ends(j, 140) * half_at_ends(k, 250);
        sum += weight * u;
        squares += weight * u * u;
      }
    }
  }
  long double const volume = 149.0L * 139.0L * 249.0L;

  write<double>(grid, {}, value);
  auto const by_all = found(world);
  auto const by_one = found(alone);
  int const threads = omp_get_max_threads();
  omp_set_num_threads(3);
  auto const by_threads = found(world);
  omp_set_num_threads(threads);

  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same(by_all[i], by_one[i]));
    EXPECT_TRUE(same(by_all[i], by_threads[i]));
  }
  EXPECT_NEAR(by_all[0].mean, static_cast<double>(sum / volume), 1e-15);
  EXPECT_NEAR(by_all[0].root_mean_square, static_cast<double>(std::sqrt(squares / volume)), 1e-14);
  EXPECT_EQ(by_all[0].minimum.value().at.z, 0) << "the first of those at z = 0, 100 and 200";
  EXPECT_EQ(by_all[0].maximum.value().at.z, 99);
}

TEST_F(Statistics, SameForCompressedFiles) {
  Grid const grid = grid_of({300, 260, 30});
  auto const value = [](Index3 at) { return static_cast<double>((at.x * at.y + at.z) % 1000) / 3; };
  write<float>(grid, {}, value);
  auto const plain = found(world);
  write<float>(grid, {.deflate_level = 1}, value);
  auto const compressed = found(world);

  EXPECT_TRUE(same(plain[0], compressed[0]));
  EXPECT_TRUE(same(plain[2], compressed[2]));
  EXPECT_EQ(plain[0].maximum.value().value, static_cast<double>(static_cast<float>(333.0)));
  EXPECT_EQ(plain[0].maximum.value().at, (Index3{111, 9, 0})) << "999 = 9 * 111";
}

TEST_F(Statistics, CountAndExcludeNonFiniteValues) {
  write<double>(grid_of({8, 4, 5}), {}, [](Index3 at) {
    return at.x == 1 ? nan : at.x == 2 ? infinity : at.x == 3 ? -infinity : 2.0;
  });

  ValueStatistics const u = found(world).front();

  EXPECT_EQ(u.points, 160);
  EXPECT_EQ(u.not_finite, 60);
  EXPECT_EQ(u.mean, 2.0);
  EXPECT_EQ(u.root_mean_square, 2.0);
  EXPECT_EQ(u.minimum.value().value, 2.0);
  EXPECT_EQ(u.maximum.value().at, (Index3{0, 0, 0}));
}

TEST_F(Statistics, NoExtremesWithoutFiniteValues) {
  write<float>(grid_of({3, 4, 5}), {}, [](Index3) { return nan; });

  ValueStatistics const u = found(world).front();

  EXPECT_EQ(u.not_finite, 60);
  EXPECT_FALSE(u.minimum.has_value());
  EXPECT_FALSE(u.maximum.has_value());
}

TEST_F(Statistics, DamageIsRefusedOnEveryRank) {
  Grid const grid = grid_of({20, 21, 40});
  write<double>(grid, {}, [](Index3 at) { return value_at<double>(at); });
  if (world.is_root()) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2)).put('\x55');
  }
  world.barrier();

  std::string const said = message_of<InputError>([&] { (void)found(world); });

  EXPECT_TRUE(said.starts_with(path.string() + " is damaged: in the values of \"")) << said;
  EXPECT_EQ(said, message_of<InputError>([&] { verify_snapshot(path, read_snapshot_info(path)); }));
}

}  // namespace
}  // namespace isotherm::test
