#include "kernels/transforms/dense/mode_matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/transforms/dense/mode_blocks.hpp"

// The matrices of closed-form modes, checked by what they are for: they diagonalise the operator,
// and they are inverse to each other.

namespace isotherm::test {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::array all_ends{AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::dirichlet_neumann,
                              AxisEnds::neumann_dirichlet, AxisEnds::periodic};

std::size_t at(int row, int column, int count) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(count) +
         static_cast<std::size_t>(column);
}

/// The operator 2 u − u(neighbours) at the unknown points of an axis.
std::vector<double> applied(AxisEnds ends, std::vector<double> const& u) {
  bool const mirrors_first = ends == AxisEnds::neumann || ends == AxisEnds::neumann_dirichlet;
  bool const mirrors_last = ends == AxisEnds::neumann || ends == AxisEnds::dirichlet_neumann;
  std::size_t const n = u.size();
  auto const value = [&](std::int64_t p) {
    auto const count = static_cast<std::int64_t>(n);
    if (ends == AxisEnds::periodic) return u[static_cast<std::size_t>((p + count) % count)];
    if (p < 0) return mirrors_first ? u[1] : 0.0;
    if (p >= count) return mirrors_last ? u[n - 2] : 0.0;
    return u[static_cast<std::size_t>(p)];
  };
  std::vector<double> result(n);
  for (std::size_t p = 0; p < n; ++p) {
    auto const here = static_cast<std::int64_t>(p);
    result[p] = 2.0 * u[p] - value(here - 1) - value(here + 1);
  }
  return result;
}

TEST(ModeMatrices, ModesAreEigenvectors) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const intervals : {2, 3, 4, 5, 8, 17, 64, 129, 1000}) {
      ModeMatrices const modes = closed_form_modes(ends, intervals);
      ASSERT_EQ(modes.count, unknown_points(ends, intervals));
      if (modes.count < 2) continue;
      for (int m = 0; m < modes.count; m += 1 + modes.count / 50) {
        auto const first = modes.to_points.begin() + static_cast<std::ptrdiff_t>(m) * modes.count;
        std::vector<double> const mode(first, first + modes.count);
        std::vector<double> const result = applied(ends, mode);
        double const eigenvalue = modes.eigenvalues[static_cast<std::size_t>(m)];
        for (std::size_t p = 0; p < mode.size(); ++p) {
          ASSERT_NEAR(result[p], eigenvalue * mode[p], 16.0 * epsilon)
              << "mode " << m << " of " << intervals << " intervals, ends "
              << static_cast<int>(ends);
        }
      }
    }
  }
}

TEST(ModeMatrices, AreInverseToEachOther) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const intervals : {1, 2, 3, 6, 7, 33, 128}) {
      if (unknown_points(ends, intervals) < 1) continue;
      ModeMatrices const modes = closed_form_modes(ends, intervals);
      int const n = modes.count;
      for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
          double sum = 0.0;
          for (int m = 0; m < n; ++m) {
            sum += modes.to_modes[at(row, m, n)] * modes.to_points[at(m, column, n)];
          }
          ASSERT_NEAR(sum, row == column ? 1.0 : 0.0, 8.0 * n * epsilon)
              << intervals << " intervals, ends " << static_cast<int>(ends);
        }
      }
    }
  }
}

TEST(ModeMatrices, EigenvaluesAreAccurateAndInOrder) {
  for (AxisEnds const ends : all_ends) {
    ModeMatrices const modes = closed_form_modes(ends, 1000);
    bool const is_mixed =
        ends == AxisEnds::dirichlet_neumann || ends == AxisEnds::neumann_dirichlet;
    for (int m = 0; m < modes.count; ++m) {
      // Half waves on the axis.
      long double waves = m;
      if (ends == AxisEnds::dirichlet) waves = m + 1;
      if (is_mixed) waves = m + 0.5L;
      if (ends == AxisEnds::periodic) waves = m % 2 == 0 ? m : m + 1;
      long double const sine = std::sin(std::numbers::pi_v<long double> * waves / 2000);
      auto const exact = static_cast<double>(4 * sine * sine);
      EXPECT_NEAR(modes.eigenvalues[static_cast<std::size_t>(m)], exact, 4.0 * epsilon * exact);
    }
    EXPECT_TRUE(std::is_sorted(modes.eigenvalues.begin(), modes.eigenvalues.end()));
  }
}

TEST(ModeMatrices, IntegratedValuesAreWeightedAlready) {
  for (AxisEnds const ends : all_ends) {
    ModeMatrices const per_volume = closed_form_modes(ends, 12);
    ModeMatrices const integrated = closed_form_modes(ends, 12, Integration::integrated);
    int const n = per_volume.count;
    EXPECT_EQ(per_volume.to_points, integrated.to_points);
    bool const half_first = ends == AxisEnds::neumann || ends == AxisEnds::neumann_dirichlet;
    bool const half_last = ends == AxisEnds::neumann || ends == AxisEnds::dirichlet_neumann;
    for (int m = 0; m < n; ++m) {
      for (int p = 0; p < n; ++p) {
        bool const is_half = (p == 0 && half_first) || (p == n - 1 && half_last);
        EXPECT_EQ(per_volume.to_modes[at(p, m, n)],
                  integrated.to_modes[at(p, m, n)] * (is_half ? 0.5 : 1.0));
      }
    }
  }
}

TEST(ModeMatrices, RefusesAxesWithoutUnknownPointsOrWithTooMany) {
  EXPECT_THROW(closed_form_modes(AxisEnds::dirichlet, 1), Error);
  EXPECT_THROW(closed_form_modes(AxisEnds::periodic, 0), Error);
  EXPECT_THROW(closed_form_modes(AxisEnds::neumann, -3), Error);
  EXPECT_THROW(closed_form_modes(AxisEnds::neumann, max_dense_points), Error);
  EXPECT_THROW(closed_form_modes(AxisEnds::periodic, std::numeric_limits<std::int64_t>::max()),
               Error);
}

TEST(ModeBlocks, AxesWithEqualEndsHaveEvenAndOddModes) {
  for (AxisEnds const ends : {AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::periodic}) {
    for (std::int64_t const intervals : {3, 4, 5, 16, 31, 500}) {
      ModeBlocks const blocks = mode_blocks(closed_form_modes(ends, intervals));
      EXPECT_TRUE(blocks.is_mirrored) << intervals << " intervals, ends " << static_cast<int>(ends);
      EXPECT_EQ(blocks.to_modes[0].size, (blocks.count() + 1) / 2);
      EXPECT_EQ(blocks.to_points[1].size, blocks.count() / 2);
    }
  }
  for (AxisEnds const ends : {AxisEnds::dirichlet_neumann, AxisEnds::neumann_dirichlet}) {
    EXPECT_FALSE(mode_blocks(closed_form_modes(ends, 16)).is_mirrored);
  }
}

TEST(ModeBlocks, ShortWavesComeFirst) {
  ModeBlocks const mixed = mode_blocks(closed_form_modes(AxisEnds::dirichlet_neumann, 20));
  auto const& all = mixed.eigenvalues;
  EXPECT_TRUE(std::is_sorted(all.rbegin(), all.rend()));
  ModeBlocks const halves = mode_blocks(closed_form_modes(AxisEnds::neumann, 20));
  auto const& parts = halves.eigenvalues;
  EXPECT_TRUE(std::is_sorted(parts.rbegin(), parts.rbegin() + 10));
  EXPECT_TRUE(std::is_sorted(parts.rbegin() + 10, parts.rend()));
  EXPECT_EQ(parts[10], 0.0);  // the constant is the last even mode
}

TEST(ModeBlocks, SlightAsymmetryIsNotRounding) {
  ModeMatrices modes = closed_form_modes(AxisEnds::dirichlet, 32);
  modes.to_points[5] *= 1.0 + 4.0 * epsilon;
  EXPECT_TRUE(mode_blocks(modes).is_mirrored);
  modes.to_points[5] *= 1.0 + 1e-12;
  EXPECT_FALSE(mode_blocks(modes).is_mirrored);
}

TEST(ModeBlocks, RefusesOtherSizesAndEigenvaluesThatAreNotFinite) {
  ModeMatrices const good = closed_form_modes(AxisEnds::dirichlet, 8);
  ModeMatrices bad = good;
  bad.eigenvalues.pop_back();
  EXPECT_THROW(mode_blocks(bad), Error);
  bad = good;
  bad.to_modes.push_back(0.0);
  EXPECT_THROW(mode_blocks(bad), Error);
  bad = good;
  bad.count = 0;
  EXPECT_THROW(mode_blocks(bad), Error);
  bad.count = max_dense_points + 1;
  EXPECT_THROW(mode_blocks(bad), Error);
  bad = good;
  bad.eigenvalues[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(mode_blocks(bad), Error);
}

}  // namespace
}  // namespace isotherm::test
