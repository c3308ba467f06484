#include "solver/discretise/point_constraints.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/fields.hpp"
#include "tests/support/shapes.hpp"

// Which points have no value, and the numbers of materials.

namespace isotherm::test {
namespace {

Region region(Region::Contains contains) { return {std::move(contains)}; }

/// A plate of 11 × 11 points with the materials 1 from y = 0.2 on and 2 from y = 0.4 on. It is
/// insulated from y = 0.6 on. The first fixed region is the column x = 0, the second the row y =
/// 0.8. The face y = 1 is Dirichlet.
Problem layered() {
  Problem problem;
  problem.grid = make_grid(2, {11, 11, 1}, {0, 0, 0}, {1, 1, 0}, {});
  for (Face const face : faces(problem.grid)) problem.boundary[face].kind = BoundaryKind::neumann;
  problem.boundary[Face{1, true}].kind = BoundaryKind::dirichlet;
  Medium& medium = problem.medium;
  medium.materials = {region([](double, double y, double) { return y > 0.15; }),
                      region([](double, double y, double) { return y > 0.35; })};
  medium.fixed = {{region([](double x, double, double) { return x < 0.05; }), 1.0},
                  {region([](double, double y, double) { return y > 0.75 && y < 0.85; }), 1.0}};
  medium.insulated = {region([](double, double y, double) { return y > 0.55; })};
  return problem;
}

TEST(PointConstraints, NumberMaterialsAndExcludePointsWithoutValue) {
  Problem const problem = layered();
  std::vector<int> numbers;
  std::vector<bool> excluded;
  PointSet const set = excluded_points(problem);
  for (std::int64_t j = 0; j <= 10; ++j) {
    numbers.push_back(material_number(problem, {4, j, 0}));
    excluded.push_back(is_excluded(problem, {4, j, 0}));
    EXPECT_EQ(set({4, j, 0}), excluded.back());
  }

  EXPECT_EQ(numbers, (std::vector{0, 0, 1, 1, 2, 2, -1, -1, -3, -1, 2}));
  for (std::size_t j = 0; j < numbers.size(); ++j) EXPECT_EQ(excluded[j], numbers[j] == -1) << j;
  EXPECT_EQ(material_number(problem, {0, 7, 0}), -2);
  EXPECT_EQ(material_number(problem, {0, 8, 0}), -3) << "the last fixed region applies";
  EXPECT_FALSE(is_excluded(problem, {0, 7, 0}));
}

/// Points on the plane from which a half space without it is insulated. A point between two boxes
/// that leave a ten-thousandth of its spacing is an unknown: fluids may heat it.
TEST(PointConstraints, VolumesWithoutOpenPartAreShut) {
  Problem problem = layered();
  problem.medium.fixed.clear();
  problem.boundary[Face{1, true}].kind = BoundaryKind::neumann;
  problem.medium.insulated = {region([](double, double y, double) { return y > 0.0; })};
  EXPECT_EQ(constraint_of(problem, {4, 0, 0}), constraint::insulation);
  EXPECT_TRUE(is_excluded(problem, {4, 0, 0}));
  problem.boundary[Face{1, false}].kind = BoundaryKind::dirichlet;
  EXPECT_EQ(constraint_of(problem, {4, 0, 0}), 2);
  EXPECT_FALSE(is_excluded(problem, {4, 0, 0}));

  problem.medium.insulated = {box_region({-1, -1, -1}, {2, 0.499995, 1}),
                              box_region({-1, 0.500005, -1}, {2, 2, 1})};
  EXPECT_EQ(constraint_of(problem, {4, 5, 0}), constraint::none);
  problem.medium.insulated.pop_back();
  EXPECT_EQ(constraint_of(problem, {4, 5, 0}), constraint::none);
}

TEST(PointConstraints, ExcludeNoPointWithoutInsulatedRegions) {
  Problem problem = layered();
  EXPECT_TRUE(may_exclude_points(problem));
  problem.medium.insulated.clear();

  EXPECT_FALSE(may_exclude_points(problem));
  EXPECT_FALSE(excluded_points(problem));
  EXPECT_FALSE(is_excluded(problem, {4, 7, 0}));
  EXPECT_EQ(material_number(problem, {4, 7, 0}), 2);
}

}  // namespace
}  // namespace isotherm::test
