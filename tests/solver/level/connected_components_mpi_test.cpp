#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "solver/discretise/point_constraints.hpp"
#include "solver/level/unknowns/connected_components.hpp"
#include "tests/support/bodies.hpp"

// The floating components of a medium, compared with a flood fill.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Contains = std::function<bool(Index3)>;

/// A region given by the indices of its points.
Region points_where(Grid const& grid, Contains const& contains) {
  return region([=](double x, double y, double z) {
    auto const number = [&](int axis, double at) {
      return std::llround((at - grid.lower[axis]) / grid.spacing[axis]);
    };
    return contains({number(0, x), number(1, y), number(2, z)});
  });
}

Problem insulated_where(Extent3 n, PerAxis<bool> const& periodic, Contains const& contains) {
  int const dimension = n.z > 1 ? 3 : 2;
  Problem problem = box_problem(Equation::poisson, dimension, n, {neumann, 0.0});
  problem.grid = make_grid(dimension, n, {0, 0, 0}, {1, 1, 1}, periodic);
  for (int axis = 0; axis < dimension; ++axis) {
    set_axis(problem, axis, {periodic[axis] ? BoundaryKind::periodic : neumann, 0.0});
  }
  problem.medium.insulated.push_back(points_where(problem.grid, contains));
  return problem;
}

/// The reference: finds components by flood fill of the whole grid. Returns the component number of
/// each point, or `held`.
/// @param labels_all_components  components count even if something holds them
std::vector<std::int32_t> flooded(Problem const& problem, bool labels_all_components = false) {
  Extent3 const n = problem.grid.points;
  auto const place = [&](Index3 p) {
    return static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x);
  };
  constexpr std::int32_t unseen = -9;
  std::vector<std::int32_t> component(static_cast<std::size_t>(problem.grid.point_count()), unseen);
  std::int32_t count = 0;
  for (std::int64_t number = 0; number < problem.grid.point_count(); ++number) {
    Index3 const start{number % n.x, number / n.x % n.y, number / (n.x * n.y)};
    if (is_fixed_point(problem, start)) component[place(start)] = ConnectedComponents::held;
    if (component[place(start)] != unseen) continue;
    std::vector<Index3> members;
    std::queue<Index3> next;
    bool is_held = false;
    auto const visit = [&](Index3 p) {
      if (component[place(p)] != unseen) return;
      component[place(p)] = count;
      next.push(p);
    };
    for (visit(start); !next.empty(); next.pop()) {
      Index3 const p = next.front();
      members.push_back(p);
      for (Face const face : faces(problem.grid)) {
        if (lies_on(problem.grid, face, p) && condition_at_point(problem, face, p).kind == robin) {
          is_held = true;
        }
        Index3 beside = p;
        beside[face.axis] += face.upper ? 1 : -1;
        if (problem.grid.periodic[face.axis]) {
          beside[face.axis] = (beside[face.axis] + n[face.axis]) % n[face.axis];
        }
        if (beside[face.axis] < 0 || beside[face.axis] >= n[face.axis]) continue;
        int const constraint = constraint_of(problem, beside);
        if (constraint >= 0) is_held = true;
        if (constraint == constraint::none) visit(beside);
      }
    }
    if (labels_all_components) is_held = false;
    for (Index3 const p : members)
      component[place(p)] = is_held ? ConnectedComponents::held : count;
    if (!is_held) ++count;
  }
  return component;
}

/// All decompositions of the grid into `parts` parts.
std::vector<Extent3> ways_to_cut(Grid const& grid, int parts) {
  std::vector<Extent3> ways;
  for (int x = 1; x <= parts; ++x)
    for (int y = 1; y <= parts / x; ++y) {
      Extent3 const way{x, y, parts / (x * y)};
      bool const fits = way.x <= grid.points.x && way.y <= grid.points.y && way.z <= grid.points.z;
      if (x * y * way.z == parts && fits) ways.push_back(way);
    }
  return ways;
}

void expect_components(Problem const& problem, std::size_t count,
                       bool labels_all_components = false) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  std::vector<std::int32_t> const wanted = flooded(problem, labels_all_components);
  auto const component_at = [&](Index3 p) {
    Extent3 const n = problem.grid.points;
    return wanted[static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x)];
  };
  for (Extent3 const& parts : ways_to_cut(problem.grid, ranks.size())) {
    Subdomain const mine(problem.grid, parts, ranks.rank());
    ConnectedComponents const found = labels_all_components
                                          ? find_connected_components(ranks, problem, mine)
                                          : find_floating_components(ranks, problem, mine);
    ASSERT_EQ(found.first.size(), count);
    for (std::size_t component = 0; component < count; ++component) {
      EXPECT_EQ(component_at(found.first[component]), static_cast<std::int32_t>(component));
    }
    for_each_owned(mine, [&](Index3 p, std::size_t number) {
      ASSERT_EQ(found.of(static_cast<std::int64_t>(number)), component_at(p))
          << p.x << ' ' << p.y << ' ' << p.z << " in " << parts.x << 'x' << parts.y << 'x'
          << parts.z;
    });
  }
}

TEST(ConnectedComponents, IncludeAllPointsWithoutGivenValues) {
  expect_components(insulated_where({7, 6, 5}, {}, [](Index3) { return true; }), 0);
  expect_components(insulated_where({7, 6, 5}, {}, [](Index3) { return false; }), 1);
}

TEST(ConnectedComponents, AreNoneIfAValueIsGiven) {
  Problem problem = insulated_where({7, 6, 5}, {}, [](Index3) { return false; });
  problem.boundary[{1, true}] = {robin, 1.0, 2.0};
  expect_components(problem, 0);
  problem.medium.insulated.clear();
  expect_components(problem, 0);
}

/// Walls with gaps at alternating ends: one winding path through all of them.
TEST(ConnectedComponents, FollowWindingPaths) {
  auto const walls = [](Index3 p) { return p.y % 2 == 1 && p.x != (p.y % 4 == 1 ? 0 : 10); };
  Problem problem = insulated_where({11, 13, 1}, {}, walls);
  expect_components(problem, 1);
  problem.medium.fixed.push_back(
      {points_where(problem.grid, [](Index3 p) { return p.x == 5 && p.y == 12; }), 1.0});
  expect_components(problem, 0);
  expect_components(problem, 2, true);  // the fixed point cuts off the end
}

TEST(ConnectedComponents, ChequerBoardHasIslandsOfSinglePoints) {
  auto const black = [](Index3 p) { return (p.x + p.y + p.z) % 2 == 1; };
  expect_components(insulated_where({6, 5, 4}, {}, black), 60);
  expect_components(insulated_where({6, 4, 4}, {true, true, true}, black), 48);
}

TEST(ConnectedComponents, WrapAroundPeriodicAxes) {
  auto const wall = [](Index3 p) { return p.x == 4; };
  expect_components(insulated_where({9, 6, 5}, {}, wall), 2);
  expect_components(insulated_where({9, 6, 5}, {true, false, false}, wall), 1);
}

/// Concentric shells: the core, the space between the shells, and the outside, which a Dirichlet
/// face holds.
TEST(ConnectedComponents, ExcludePointsHeldByAValue) {
  auto const shells = [](Index3 p) {
    std::int64_t const away = std::max({std::abs(p.x - 6), std::abs(p.y - 6), std::abs(p.z - 6)});
    return away == 2 || away == 4;
  };
  Problem problem = insulated_where({13, 13, 13}, {}, shells);
  expect_components(problem, 3);
  problem.boundary[{2, false}] = {};
  expect_components(problem, 2);
  problem.medium.fixed.push_back({points_where(problem.grid,
                                               [](Index3 p) {
                                                 return p == Index3{6, 6, 6};
                                               }),
                                  1.0});
  expect_components(problem, 1);
  expect_components(problem, 3, true);
}

}  // namespace
}  // namespace isotherm::test
