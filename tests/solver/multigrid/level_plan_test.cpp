#include "solver/multigrid/levels/level_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/discretise/boundary.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/uniform/stencils.hpp"

// The division of multigrid levels among ranks, and their halos.

namespace isotherm::test {
namespace {

constexpr int reach_of_transfers = 4;

/// Dirichlet faces along x, periodic in y, insulated in z, with the same spacing everywhere.
Problem problem_of(Extent3 points) {
  Problem problem;
  problem.grid.points = points;
  problem.grid.periodic[1] = true;
  problem.boundary[{1, false}].kind = problem.boundary[{1, true}].kind = BoundaryKind::periodic;
  problem.boundary[{2, false}].kind = problem.boundary[{2, true}].kind = BoundaryKind::neumann;
  return problem;
}

/// The levels of every rank.
std::vector<std::vector<LevelPlan>> levels_of_all(Extent3 points, Extent3 parts) {
  Problem const problem = problem_of(points);
  std::vector<std::vector<LevelPlan>> all;
  for (int rank = 0; rank < static_cast<int>(parts.x * parts.y * parts.z); ++rank) {
    all.push_back(plan_levels(problem, Subdomain(problem.grid, parts, rank), Backend::cpu));
  }
  return all;
}

struct Case {
  Extent3 points;
  Extent3 parts;
};
std::vector<Case> const cases = {
    {{72, 72, 72}, {1, 1, 1}},    {{72, 72, 72}, {8, 1, 1}},    {{72, 72, 72}, {1, 1, 8}},
    {{100, 100, 100}, {2, 2, 2}}, {{250, 203, 40}, {16, 1, 1}}, {{60, 1000, 30}, {1, 31, 1}},
    {{64, 64, 520}, {1, 1, 32}},  {{90, 91, 92}, {2, 3, 1}},    {{10, 11, 12}, {2, 2, 2}}};

TEST(PlanLevels, SameForAllRanksExceptTheirParts) {
  for (Case const& chosen : cases) {
    auto const all = levels_of_all(chosen.points, chosen.parts);
    for (auto const& levels : all) {
      ASSERT_EQ(levels.size(), all.front().size());
      for (std::size_t n = 0; n < levels.size(); ++n) {
        EXPECT_EQ(levels[n].problem.grid, all.front()[n].problem.grid);
        EXPECT_EQ(levels[n].replicated, all.front()[n].replicated);
        EXPECT_EQ(levels[n].depth, all.front()[n].depth);
      }
    }
  }
}

TEST(PlanLevels, SharesLargeLevelsAndReplicatesSmallOnes) {
  for (Case const& chosen : cases) {
    bool const cut = chosen.parts != Extent3{1, 1, 1};
    for (auto const& levels : levels_of_all(chosen.points, chosen.parts)) {
      EXPECT_TRUE(levels.back().replicated);
      EXPECT_EQ(levels.front().replicated, !cut || chosen.points.x < 30);
      for (std::size_t n = 0; n < levels.size(); ++n) {
        bool const replicated = levels[n].replicated;
        EXPECT_EQ(levels[n].subdomain.parts(), replicated ? (Extent3{1, 1, 1}) : chosen.parts);
        EXPECT_EQ(levels[n].subdomain.grid(), levels[n].problem.grid);
        EXPECT_TRUE(n == 0 || replicated || !levels[n - 1].replicated);
        EXPECT_LE(levels[n].depth,
                  std::max(1, deepest_halo(levels[n].problem, levels[n].subdomain)));
        EXPECT_TRUE(replicated || levels[n].depth >= reach_of_transfers);
      }
    }
  }
}

/// Messages take longer than the work on 65³ points of a device, and on 33³ points of a CPU.
TEST(PlanLevels, DevicesReplicateLargerLevels) {
  Problem problem;
  problem.grid.points = {257, 257, 257};
  auto const shared = [&](Backend backend) {
    std::vector<std::int64_t> points;
    for (LevelPlan const& level :
         plan_levels(problem, Subdomain(problem.grid, {1, 1, 2}, 0), backend)) {
      if (!level.replicated) points.push_back(level.problem.grid.points.x);
    }
    return points;
  };
  EXPECT_EQ(shared(Backend::cpu), (std::vector<std::int64_t>{257, 129, 65, 33}));
  EXPECT_EQ(shared(Backend::cuda), (std::vector<std::int64_t>{257, 129}));
}

/// The reach of transfers: from the level's own points, and on sides with neighbours also from its
/// halo points.
TEST(PlanLevels, HalosAreAsDeepAsTransfersReach) {
  int shared = 0;
  for (Case const& chosen : cases) {
    for (auto const& levels : levels_of_all(chosen.points, chosen.parts)) {
      for (std::size_t n = 1; n < levels.size(); ++n) {
        LevelPlan const& fine = levels[n - 1];
        LevelPlan const& coarse = levels[n];
        if (fine.replicated != coarse.replicated) continue;
        if (!fine.replicated) ++shared;
        LocalBox const to = unknown_points(coarse.problem, coarse.subdomain);
        LocalBox const back = unknown_points(fine.problem, fine.subdomain);
        if (to.empty() || back.empty()) continue;
        GlobalBox const below = coarse.subdomain.to_global(to);
        GlobalBox const above = fine.subdomain.to_global(back);
        for (int axis = 0; axis < 3; ++axis) {
          auto const down = restriction_stencils<float>(fine.problem, coarse.problem, axis,
                                                        below.lower[axis], below.upper[axis],
                                                        fine.subdomain.owned_global().lower[axis]);
          EXPECT_GE(down.front().first, -fine.depth);
          EXPECT_LE(down.back().first + down.back().count,
                    fine.subdomain.extent()[axis] + fine.depth);
          auto const up = prolongation_stencils<float>(fine.problem, coarse.problem, axis,
                                                       above.lower[axis], above.upper[axis],
                                                       coarse.subdomain.owned_global().lower[axis]);
          EXPECT_GE(up.front().lower, -coarse.depth);
          EXPECT_LE(up.back().lower + (up.back().share > 0.0F ? 2 : 1),
                    coarse.subdomain.extent()[axis] + coarse.depth);
        }
      }
    }
  }
  EXPECT_GT(shared, 50) << "the cases have hardly any levels that ranks share";
}

/// A heterogeneous medium whose gaps along x and z grow a hundredfold.
std::vector<std::vector<LevelPlan>> levels_of_graded_medium(std::int64_t n, Extent3 parts) {
  Problem problem;
  problem.grid.points = {n, n, n};
  problem.medium.conductivity = {1.0, 1.0, 1.0};
  for (int const axis : {0, 2}) {
    std::vector<double> places{0.0};
    for (std::int64_t i = 1; i < n; ++i) {
      double const share = static_cast<double>(i) / static_cast<double>(n);
      places.push_back(places.back() + std::pow(100.0, share));
    }
    problem.grid = with_coordinates(problem.grid, axis, places);
  }
  std::vector<std::vector<LevelPlan>> all;
  for (int rank = 0; rank < static_cast<int>(parts.x * parts.y * parts.z); ++rank) {
    all.push_back(plan_levels(problem, Subdomain(problem.grid, parts, rank), Backend::cpu));
  }
  return all;
}

/// The coarse points of a rank remain on it, unless some rank would get too few or too many.
TEST(PlanLevels, GradedLevelsFollowCoarsePointsOrAreRedistributed) {
  int following = 0;
  int anew = 0;
  for (Extent3 const parts : {Extent3{1, 1, 8}, Extent3{4, 1, 2}, Extent3{2, 2, 2}}) {
    for (auto const& levels : levels_of_graded_medium(129, parts)) {
      for (std::size_t n = 1; n < levels.size(); ++n) {
        LevelPlan const& fine = levels[n - 1];
        LevelPlan const& coarse = levels[n];
        if (coarse.replicated) {
          EXPECT_LT(coarse.problem.grid.point_count(), 1 << 16);
          continue;
        }
        Subdomain const followed = part_of_coarser(fine.subdomain, coarse.problem.grid);
        for (int const axis : {0, 2}) {
          EXPECT_GE(coarse.subdomain.smallest_extent(axis), reach_of_transfers);
          auto const remaining = c_points(fine.problem.grid, coarse.problem.grid, axis);
          GlobalBox const mine = fine.subdomain.owned_global();
          for (std::size_t m = 0; m < remaining.size(); ++m) {
            auto const at = static_cast<std::int64_t>(m);
            GlobalBox const next = followed.owned_global();
            EXPECT_EQ(mine.lower[axis] <= remaining[m] && remaining[m] < mine.upper[axis],
                      next.lower[axis] <= at && at < next.upper[axis]);
          }
        }
        bool const follows = coarse.subdomain.is_shared_like(followed);
        (follows ? following : anew) += 1;
        Extent3 const largest = coarse.subdomain.largest_extent();
        EXPECT_LE(static_cast<double>(GlobalBox{{}, largest}.point_count()),
                  2.1 * static_cast<double>(coarse.problem.grid.point_count()) /
                      static_cast<double>(parts.x * parts.y * parts.z));
      }
    }
  }
  EXPECT_GT(following, 20);
  EXPECT_GT(anew, 20);
}

TEST(SmoothingPlans, StepsAreLimitedBySweepsAndHalo) {
  auto const all = levels_of_all({72, 72, 72}, {1, 1, 1});
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    for (LevelPlan const& level : all.front()) {
      auto const plans = smoothing_plans_of(level, precision, Execution{}, 8);
      ASSERT_EQ(plans.size(), 8U);
      for (int left = 1; left <= 8; ++left) {
        int const steps = plans[static_cast<std::size_t>(left - 1)].steps;
        EXPECT_GE(steps, 1);
        EXPECT_LE(steps, std::min(left, level.depth));
      }
    }
  }
}

}  // namespace
}  // namespace isotherm::test
