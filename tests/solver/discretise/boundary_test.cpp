#include "solver/discretise/boundary.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "tests/support/face_names.hpp"
#include "tests/support/fields.hpp"

// Which points boundary conditions fix, which are unknown, and how deep halos may be.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

/// A grid of 9 × 8 × 7 points: x Dirichlet and Neumann, y periodic, z Neumann and Dirichlet.
Problem mixed() {
  Problem problem;
  problem.grid = make_grid(3, {9, 8, 7}, {0, 0, 0}, {1, 1, 1}, {false, true, false});
  PerFace<BoundaryKind> const kinds{dirichlet, neumann, periodic, periodic, neumann, dirichlet};
  for (Face const face : faces(problem.grid)) problem.boundary[face].kind = kinds[face];
  return problem;
}

Problem all_dirichlet(int dimension) {
  Problem problem;
  problem.grid = make_grid(dimension, {5, 4, dimension == 3 ? 6 : 1}, {0, 0, 0}, {1, 1, 1}, {});
  return problem;
}

TEST(FreeBox, ExcludesDirichletFacesAndIncludesGhostPoints) {
  Problem const problem = mixed();
  Subdomain const share(problem.grid, {2, 1, 1}, 1);  // owns x = 5 … 8

  LocalBox const free = free_box(problem, share, 3);

  EXPECT_EQ(free, (LocalBox{{-4, -3, -3}, {4 + 3, 8 + 3, 6}}));
}

TEST(FreeBox, IgnoresZIn2D) {
  Problem const problem = all_dirichlet(2);
  Subdomain const share(problem.grid, {1, 1, 1}, 0);

  EXPECT_EQ(free_box(problem, share, 4), (LocalBox{{1, 1, 0}, {4, 3, 1}}));
}

TEST(Unknowns, ExcludeDirichletFaces) {
  EXPECT_EQ(unknown_count(mixed()), 8 * 8 * 6);
  EXPECT_EQ(unknown_count(all_dirichlet(2)), 3 * 2);
  Problem thin = all_dirichlet(2);
  thin.grid.points.x = 2;
  EXPECT_EQ(unknown_count(thin), 0);
}

TEST(Unknowns, CountsOfRanksAddUp) {
  Problem const problem = mixed();
  std::int64_t sum = 0;
  for (int rank = 0; rank < 12; ++rank) {
    sum += unknown_points(problem, Subdomain(problem.grid, {3, 2, 2}, rank)).point_count();
  }
  EXPECT_EQ(sum, unknown_count(problem));
}

TEST(DirichletPoints, BelongToTheirFirstFaceOnly) {
  Problem const problem = all_dirichlet(3);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, int> face_of;
  for (int rank = 0; rank < 8; ++rank) {
    Subdomain const share(problem.grid, {2, 2, 2}, rank);
    for (Face const face : faces(problem.grid)) {
      for_each(dirichlet_points(problem, share, face), [&](auto i, auto j, auto k) {
        Index3 const p = share.to_global(Index3{i, j, k});
        EXPECT_TRUE(face_of.emplace(std::tuple{p.x, p.y, p.z}, face.index()).second);
      });
    }
  }
  EXPECT_EQ(face_of.size(), 5U * 4U * 6U - 3U * 2U * 4U);
  EXPECT_EQ((face_of[{0, 0, 0}]), 0);
  EXPECT_EQ((face_of[{4, 3, 5}]), 1);
  EXPECT_EQ((face_of[{2, 0, 5}]), 2);
  EXPECT_EQ((face_of[{2, 3, 0}]), 3);
  EXPECT_EQ((face_of[{2, 2, 0}]), 4);
  EXPECT_EQ((face_of[{2, 2, 5}]), 5);
}

TEST(DeepestHalo, IsLimitedByTheSmallestPartAndMirrors) {
  Problem const problem = mixed();
  auto const deepest = [&](Extent3 parts) {
    return deepest_halo(problem, Subdomain(problem.grid, parts, 0));
  };
  EXPECT_EQ(deepest({1, 1, 1}), 6);  // z: 6 points next to its mirror plane
  EXPECT_EQ(deepest({2, 1, 1}), 4);  // x: 9 points in two parts
  EXPECT_EQ(deepest({1, 3, 1}), 2);
  EXPECT_EQ(deepest({1, 1, 7}), 1);
  EXPECT_GT(deepest_halo(all_dirichlet(3), Subdomain(all_dirichlet(3).grid, {1, 1, 1}, 0)), 1000);
}

TEST(Conditions, TimeDependenceIsDetected) {
  Problem problem = all_dirichlet(2);
  EXPECT_FALSE(varies_in_time(problem));
  problem.boundary[z_upper].value.varies_in_time = true;  // 2D grids have no z faces
  EXPECT_FALSE(varies_in_time(problem));
  problem.boundary[y_upper].value.varies_in_time = true;
  EXPECT_TRUE(varies_in_time(problem));
}

}  // namespace
}  // namespace isotherm::test
