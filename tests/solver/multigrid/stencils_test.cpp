#include "solver/multigrid/uniform/stencils.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/multigrid/levels/coarsening.hpp"

// The stencils of restriction and interpolation between two levels.

namespace isotherm::test {
namespace {

/// The ends of the axes of problem_of().
enum Axis { with_values = 0, around = 1, insulated = 2 };
constexpr int axis_kinds = 3;

/// A correction problem with n points and the same spacing on each axis, and different ends.
Problem problem_of(std::int64_t n) {
  Problem problem;
  auto const length = static_cast<double>(n - 1);
  problem.grid = make_grid(3, {n, n, n}, {}, {length, length + 1.0, length}, {false, true, false});
  problem.boundary[{around, false}].kind = BoundaryKind::periodic;
  problem.boundary[{around, true}].kind = BoundaryKind::periodic;
  problem.boundary[{insulated, false}].kind = BoundaryKind::neumann;
  problem.boundary[{insulated, true}].kind = BoundaryKind::neumann;
  return correction_problem(problem);
}

/// The stencils of a whole axis, in global indices.
std::vector<RestrictionStencil<double>> restriction(Problem const& fine, Problem const& coarse,
                                                    int axis) {
  return restriction_stencils<double>(fine, coarse, axis, 0, coarse.grid.points[axis], 0);
}
std::vector<ProlongationStencil<double>> interpolation(Problem const& fine, Problem const& coarse,
                                                       int axis) {
  return prolongation_stencils<double>(fine, coarse, axis, 0, fine.grid.points[axis], 0);
}

/// Calls visit(fine, coarse, axis) for each axis of each pair of consecutive levels, for fine grids
/// of 5 to 200 points.
template <class Visit>
void for_each_axis(Visit const& visit) {
  for (std::int64_t n = 5; n <= 200; n += n < 70 ? 1 : 7) {
    Problem const fine = problem_of(n);
    Problem const coarse = *coarser_problem(fine, 4);
    for (int axis = 0; axis < axis_kinds; ++axis) visit(fine, coarse, axis);
  }
  for (std::int64_t const n : {5, 30, 41, 97}) {  // down to axes that remain or collapse
    std::vector<Problem> const levels = correction_problems(problem_of(n), 3);
    for (std::size_t level = 1; level < levels.size(); ++level) {
      for (int axis = 0; axis < axis_kinds; ++axis) visit(levels[level - 1], levels[level], axis);
    }
  }
}

std::int64_t period(Problem const& problem, int axis) { return problem.grid.points[axis]; }

TEST(Restriction, WeightsOfAtMostFourPointsSumToOne) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    bool const wraps = fine.grid.periodic[axis];
    std::int64_t const n = fine.grid.points[axis];
    auto const stencils = restriction(fine, coarse, axis);
    EXPECT_EQ(std::ssize(stencils), coarse.grid.points[axis]);
    for (auto const& stencil : stencils) {
      EXPECT_GE(stencil.count, 1);
      EXPECT_LE(stencil.count, stencil.maximum);
      EXPECT_GE(stencil.first, wraps ? -n : 0);
      EXPECT_LE(stencil.first + stencil.count, wraps ? 2 * n : n);
      double const sum = std::accumulate(stencil.weights, stencil.weights + stencil.count, 0.0);
      EXPECT_NEAR(sum, 1.0, 0.34);  // exact if coarse points are fine points
      if (n > 8) {
        EXPECT_NEAR(sum, 1.0, 1.0 / static_cast<double>(n)) << n;
      }
      for (int a = 0; a < stencil.maximum; ++a) {
        EXPECT_EQ(stencil.weights[a] > 0.0, a < stencil.count) << n << " points, axis " << axis;
      }
    }
  });
}

/// Kernels rely on ascending stencils.
TEST(Stencils, AreInAscendingOrder) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    auto const down = restriction(fine, coarse, axis);
    for (std::size_t j = 1; j < down.size(); ++j) {
      EXPECT_GE(down[j].first, down[j - 1].first);
      EXPECT_GE(down[j].first + down[j].count, down[j - 1].first + down[j - 1].count);
    }
    auto const end = [](auto const& stencil) { return stencil.lower + (stencil.share > 0.0); };
    auto const up = interpolation(fine, coarse, axis);
    for (std::size_t i = 1; i < up.size(); ++i) {
      EXPECT_GE(up[i].lower, up[i - 1].lower);
      EXPECT_GE(end(up[i]), end(up[i - 1]));
    }
  });
}

TEST(Interpolation, ReproducesLinearFunctions) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    if (coarse.grid.points[axis] == 1) return;
    auto const stencils = interpolation(fine, coarse, axis);
    EXPECT_EQ(std::ssize(stencils), fine.grid.points[axis]);
    for (std::size_t i = 0; i < stencils.size(); ++i) {
      // Coordinates may lie beyond a periodic axis; the function continues there.
      auto const lower = coarse.grid.coordinate(axis, stencils[i].lower);
      double const found = lower + stencils[i].share * coarse.grid.spacing[axis];
      double const want = fine.grid.coordinate(axis, static_cast<std::int64_t>(i));
      EXPECT_NEAR(found, want, 1e-14 * static_cast<double>(fine.grid.points[axis]));
      EXPECT_GE(stencils[i].share, 0.0);
      EXPECT_LT(stencils[i].share, 1.0);
    }
  });
}

TEST(Interpolation, ReadsTheCoarseGridOrWrapsAroundIt) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    std::int64_t const n = coarse.grid.points[axis];
    bool const wraps = coarse.grid.periodic[axis];
    for (auto const& stencil : interpolation(fine, coarse, axis)) {
      EXPECT_GE(stencil.lower, 0);
      EXPECT_LT(stencil.lower, n);
      EXPECT_LE(stencil.lower + (stencil.share != 0.0 ? 1 : 0), wraps ? n : n - 1);
    }
  });
}

TEST(Interpolation, CollapsedAxisIsConstant) {
  Problem const fine = correction_problems(problem_of(4), 3)[0];
  Problem const coarse = correction_problems(problem_of(4), 3)[1];
  for (int const axis : {around, insulated}) {
    EXPECT_EQ(coarse.grid.points[axis], 1);
    for (auto const& stencil : interpolation(fine, coarse, axis)) {
      EXPECT_EQ(stencil.lower, 0);
      EXPECT_EQ(stencil.share, 0.0);
    }
  }
}

/// Each fine point is weighted by its volume, divided by that of the coarse point, so sums over the
/// grid are conserved.
TEST(Restriction, IsTheTransposeOfInterpolation) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    bool const wraps = fine.grid.periodic[axis];
    std::int64_t const n = period(fine, axis);
    std::int64_t const m = period(coarse, axis);
    auto const place = [&](std::int64_t j, std::int64_t i) {
      return static_cast<std::size_t>(j * n + i);
    };
    std::vector<double> transposed(static_cast<std::size_t>(n * m));
    auto const up = interpolation(fine, coarse, axis);
    for (std::int64_t i = 0; i < n; ++i) {
      auto const& stencil = up[static_cast<std::size_t>(i)];
      double const volume = !wraps && n > 1 && (i == 0 || i == n - 1) ? 0.5 : 1.0;
      transposed[place(stencil.lower, i)] += volume * (1.0 - stencil.share);
      if (stencil.share == 0.0) continue;
      transposed[place((stencil.lower + 1) % m, i)] += volume * stencil.share;
    }

    std::vector<double> found(transposed.size());
    auto const down = restriction(fine, coarse, axis);
    for (std::int64_t j = 0; j < m; ++j) {
      auto const& stencil = down[static_cast<std::size_t>(j)];
      for (int a = 0; a < stencil.count; ++a) {
        found[place(j, (stencil.first + a + n) % n)] += stencil.weights[a];
      }
      auto const row = transposed.begin() + j * n;
      bool const at_end = !wraps && m > 1 && (j == 0 || j == m - 1);
      std::int64_t const ends = wraps ? 0 : 1;
      double const sum = m == 1   ? std::accumulate(row, row + n, 0.0)
                         : n == m ? (at_end ? 0.5 : 1.0)
                                  : (at_end ? 0.5 : 1.0) * static_cast<double>(n - ends) /
                                        static_cast<double>(m - ends);
      double worst = 0.0;
      for (std::int64_t i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs(found[place(j, i)] - row[i] / sum));
      }
      EXPECT_LT(worst, 1e-13) << n << " points, axis " << axis << ", coarse point " << j;
    }
  });
}

TEST(Stencils, AreIndependentOfTheFrame) {
  Problem const fine = problem_of(77);
  Problem const coarse = *coarser_problem(fine, 4);
  for (int axis = 0; axis < axis_kinds; ++axis) {
    auto const all = restriction(fine, coarse, axis);
    auto const some = restriction_stencils<float>(fine, coarse, axis, 11, 20, 23);
    for (std::size_t n = 0; n < some.size(); ++n) {
      EXPECT_EQ(some[n].first, all[n + 11].first - 23);
      EXPECT_EQ(some[n].count, all[n + 11].count);
      EXPECT_EQ(some[n].weights[0], static_cast<float>(all[n + 11].weights[0]));
    }
    auto const up = interpolation(fine, coarse, axis);
    auto const few = prolongation_stencils<float>(fine, coarse, axis, 31, 44, 15);
    for (std::size_t n = 0; n < few.size(); ++n) {
      EXPECT_EQ(few[n].lower, up[n + 31].lower - 15);
      EXPECT_EQ(few[n].share, static_cast<float>(up[n + 31].share));
    }
    EXPECT_EQ(some.size(), 9U);
    EXPECT_EQ(few.size(), 13U);
  }
}

// Stencils of parts of an axis.

/// Points of an axis.
struct Range {
  std::int64_t lower;
  std::int64_t upper;
};

/// The points of one of several ranks that share an axis.
Range share_of(Grid const& grid, int axis, int parts, int position) {
  Extent3 cut{1, 1, 1};
  cut[axis] = parts;
  GlobalBox const owned = Subdomain(grid, cut, position).owned_global();
  return {owned.lower[axis], owned.upper[axis]};
}

/// How far beyond the fine share the restriction to the coarse points reads.
std::int64_t restriction_reach(Problem const& fine, Problem const& coarse, int axis, Range share,
                               Range points) {
  auto const at = [&](std::int64_t j) {
    return restriction_stencils<double>(fine, coarse, axis, j, j + 1, 0).front();
  };
  auto const last = at(points.upper - 1);
  return std::max(share.lower - at(points.lower).first, last.first + last.count - share.upper);
}

/// How far beyond the coarse share the interpolation to the fine points reads.
std::int64_t interpolation_reach(Problem const& fine, Problem const& coarse, int axis, Range share,
                                 Range points) {
  auto const at = [&](std::int64_t i) {
    return prolongation_stencils<double>(fine, coarse, axis, i, i + 1, 0).front();
  };
  auto const last = at(points.upper - 1);
  return std::max(share.lower - at(points.lower).lower,
                  last.lower + (last.share > 0.0 ? 2 : 1) - share.upper);
}

TEST(CoarsePoints, PartsCoverTheCoarseGrid) {
  for_each_axis([](Problem const& fine, Problem const& coarse, int axis) {
    for (int const parts : {1, 2, 3, 5, 8}) {
      if (parts > fine.grid.points[axis]) continue;
      std::int64_t next = 0;
      for (int position = 0; position < parts; ++position) {
        Extent3 cut{1, 1, 1};
        cut[axis] = parts;
        GlobalBox const share = Subdomain(fine.grid, cut, position).owned_global();
        GlobalBox const points = coarse_points_in(fine, coarse, share);
        if (points.empty()) continue;
        EXPECT_EQ(points.lower[axis], next);
        next = points.upper[axis];
        Range const owned{share.lower[axis], share.upper[axis]};
        EXPECT_LE(
            restriction_reach(fine, coarse, axis, owned, {points.lower[axis], points.upper[axis]}),
            coarse.grid.points[axis] == 1 ? fine.grid.points[axis] : 4);
      }
      EXPECT_EQ(next, coarse.grid.points[axis])
          << fine.grid.points[axis] << " points in " << parts << " parts, axis " << axis;
    }
  });
}

/// Levels with halos of four points rely on this: if fine and coarse grid are evenly divided into
/// as many parts, the parts do not quite coincide.
TEST(Transfers, EvenPartsReadAtMostFourPointsBeyond) {
  for (int const parts : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 31}) {
    // All remainders of both grids, and more if there are few points.
    for (std::int64_t n = 8 * parts - 1; n <= 10 * parts + 20; ++n) {
      if (n < 5) continue;
      Problem const fine = problem_of(n);
      Problem const coarse = *coarser_problem(fine, 4);
      for (int axis = 0; axis < axis_kinds; ++axis) {
        if (coarse.grid.points[axis] / parts < 4) continue;
        for (int position = 0; position < parts; ++position) {
          Range const mine = share_of(fine.grid, axis, parts, position);
          Range const below = share_of(coarse.grid, axis, parts, position);
          ASSERT_LE(restriction_reach(fine, coarse, axis, mine, below), 4)
              << n << " points in " << parts << " parts, axis " << axis << ", part " << position;
          ASSERT_LE(interpolation_reach(fine, coarse, axis, below, mine), 4)
              << n << " points in " << parts << " parts, axis " << axis << ", part " << position;
        }
      }
    }
  }
}

/// An axis that is not coarsened has the same parts on both grids, and nothing outside them is
/// read.
TEST(Transfers, StayWithinPartsIfTheAxisIsNotCoarsened) {
  Problem fine = problem_of(40);
  fine.grid.spacing = {1.0, 2.0, 2.0};
  Problem const coarse = *coarser_problem(fine, 4);
  for (int const axis : {around, insulated}) {
    EXPECT_EQ(coarse.grid.points[axis], 40);
    for (int position = 0; position < 6; ++position) {
      Range const mine = share_of(fine.grid, axis, 6, position);
      EXPECT_EQ(restriction_reach(fine, coarse, axis, mine, mine), 0);
      EXPECT_EQ(interpolation_reach(fine, coarse, axis, mine, mine), 0);
      GlobalBox share = fine.grid.box();
      share.lower[axis] = mine.lower;
      share.upper[axis] = mine.upper;
      EXPECT_EQ(coarse_points_in(fine, coarse, share).lower[axis], mine.lower);
      EXPECT_EQ(coarse_points_in(fine, coarse, share).upper[axis], mine.upper);
    }
  }
}

}  // namespace
}  // namespace isotherm::test
