#include "solver/problem/solid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "solver/discretise/shapes/cell.hpp"

// Lengths, areas and volumes of boxes, balls and cylinders, against closed forms and sums over
// subdivisions.
namespace isotherm::test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The unit cell cut into n^3 cells, each scaled to `length`.
template <class Visit>
void for_each_cell(int n, double length, Visit const& visit) {
  double const h = length / n;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        visit(Cell{{{{i * h, (i + 1) * h}, {j * h, (j + 1) * h}, {k * h, (k + 1) * h}}}});
}

/// The volume of all parts of a solid, cell by cell.
double summed(Solid const& solid, int n, double length) {
  double sum = 0.0;
  for_each_cell(n, length, [&](Cell const& cell) { sum += solid.share(cell) * volume_of(cell); });
  return sum;
}

TEST(Solid, ChordsOfBallAndCylinderAndBox) {
  Solid const ball = make_ball(3, {1, 2, 3}, 0.5);
  EXPECT_EQ(ball.chord(0, {9, 2, 3}), (Interval{0.5, 1.5}));
  EXPECT_DOUBLE_EQ(ball.chord(2, {1.3, 2, 9}).length(), 0.8);
  EXPECT_TRUE(ball.chord(1, {1.6, 0, 3}).empty());
  Solid const pipe = make_cylinder(2, {1, 2, 0}, 0.5, {0, 4});
  EXPECT_EQ(pipe.chord(2, {1.3, 2.3, 9}), (Interval{0, 4}));
  EXPECT_TRUE(pipe.chord(2, {1.4, 2.4, 1}).empty());
  EXPECT_EQ(pipe.chord(0, {0, 2, 4}), (Interval{0.5, 1.5}));
  EXPECT_TRUE(pipe.chord(0, {0, 2, 4.1}).empty());
  Solid const box = make_box({0, 1, 2}, {3, 4, 5});
  EXPECT_EQ(box.chord(1, {0, 0, 5}), (Interval{1, 4}));
  EXPECT_TRUE(box.chord(1, {0, 0, 5.01}).empty());
}

TEST(Solid, BallVolumeIsSumOfItsCells) {
  Solid const ball = make_ball(3, {0.513, 0.487, 0.45}, 0.31);
  double const volume = 4.0 / 3.0 * pi * std::pow(0.31, 3);
  EXPECT_NEAR(ball.measure(3, {{{{0, 1}, {0, 1}, {0, 1}}}}), volume, 1e-15);
  for (int const n : {1, 3, 8, 17}) EXPECT_NEAR(summed(ball, n, 1.0), volume, 2e-4 * volume) << n;
}

TEST(Solid, CylinderAndDiscAreExact) {
  for (int axis = 0; axis < 3; ++axis) {
    Solid const pipe = make_cylinder(axis, {0.513, 0.487, 0.45}, 0.31, {0.21, 0.77});
    double const volume = pi * 0.31 * 0.31 * 0.56;
    EXPECT_NEAR(pipe.measure(3, {{{{0, 1}, {0, 1}, {0, 1}}}}), volume, 1e-15);
    for (int const n : {1, 3, 8, 17}) EXPECT_NEAR(summed(pipe, n, 1.0), volume, 1e-13) << n;
  }
  Solid const disc = make_ball(2, {0.513, 0.487, 0}, 0.31);
  EXPECT_NEAR(disc.share({{{{0, 1}, {0, 1}, {0, 0}}}}), pi * 0.31 * 0.31, 1e-15);
  EXPECT_NEAR(disc.measure(2, {{{{0, 0.513}, {0, 1}, {0, 0}}}}), 0.5 * pi * 0.31 * 0.31, 1e-15);
}

TEST(Solid, FacesOfBallsAreDiscs) {
  Solid const ball = make_ball(3, {0.5, 0.5, 0.5}, 0.4);
  double const radius_squared = 0.4 * 0.4 - 0.1 * 0.1;
  for (int axis = 0; axis < 3; ++axis) {
    Cell face{{{{0, 1}, {0, 1}, {0, 1}}}};
    face[axis] = {0.6, 0.6};
    EXPECT_NEAR(ball.share(face), pi * radius_squared, 1e-14);
  }
  EXPECT_EQ(ball.share({{{{0.5, 0.5}, {0.2, 0.2}, {0.5, 0.5}}}}), 1.0);
  EXPECT_EQ(ball.share({{{{0.5, 0.5}, {0.05, 0.05}, {0.5, 0.5}}}}), 0.0);
}

TEST(Solid, BoxUnboundedInTwoDimensions) {
  Solid const box = make_box({0.25, 0.5, -infinity}, {0.75, 2.0, infinity});
  EXPECT_DOUBLE_EQ(box.share({{{{0, 1}, {0, 1}, {0, 0}}}}), 0.25);
  EXPECT_DOUBLE_EQ(box.measure(2, {{{{0, 1}, {0, 1}, {0, 0}}}}), 0.25);
}

/// The section of a cylinder of radius 1 and height 1, cut into n² cells.
template <class Visit>
void for_each_ring(int n, Visit const& visit) {
  for_each_cell(n, 1.0, [&](Cell cell) {
    if (cell[2].lower > 0.0) return;
    cell[2] = {0.0, 0.0};
    visit(cell);
  });
}

Grid section(Geometry geometry, int n) {
  Grid grid = make_grid(2, {n + 1, geometry == Geometry::spherical ? 1 : n + 1, 1}, {0, 0, 0},
                        {1, 1, 0}, {false, geometry == Geometry::spherical, false});
  grid = with_coordinates(grid, 0, coordinates_of(grid, 0));
  grid.geometry = geometry;
  return grid;
}

/// Boxes are rings; a ball is a torus (its volume is Pappus's), or a ball if its center lies on the
/// axis; the place below an inclined line is a cone on a cylinder.
TEST(Solid, RadialSharesAddUpToVolumesOfRevolution) {
  struct Body {
    Region region;
    double volume;
  };
  Region const below{[](double x, double y, double) { return y < 0.3 + 0.5 * x; }, "below a cone"};
  std::vector<Body> const bodies{
      {{{}, "", make_box({0.213, 0.1, -infinity}, {0.777, 0.87, infinity})},
       pi * (0.777 * 0.777 - 0.213 * 0.213) * 0.77},
      {{{}, "", make_ball(2, {0.513, 0.487, 0}, 0.31)}, 2 * pi * 0.513 * pi * 0.31 * 0.31},
      {{{}, "", make_ball(2, {0.0, 0.487, 0}, 0.31)}, 4.0 / 3.0 * pi * std::pow(0.31, 3)},
      {below, 2 * pi * (0.3 / 2 + 0.5 / 3)}};
  for (int const n : {1, 3, 8, 17}) {
    Grid const grid = section(Geometry::axisymmetric, n);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      double sum = 0.0;
      for_each_ring(n, [&](Cell const& cell) {
        sum += volume_of(grid, cell) * covered_share(grid, bodies[i].region, cell, {});
      });
      EXPECT_NEAR(sum, bodies[i].volume, i < 3 ? 1e-13 : 1e-8) << n << ' ' << i;
    }
  }
}

TEST(Solid, RadialSharesOfLinesAreThoseOfShells) {
  Region const shape{{}, "", make_box({0.213, -infinity, -infinity}, {0.777, infinity, infinity})};
  Region const where{[](double x, double, double) { return 0.213 < x && x < 0.777; }, ""};
  Grid const grid = section(Geometry::spherical, 7);
  double const volume = 4.0 / 3.0 * pi * (std::pow(0.777, 3) - std::pow(0.213, 3));
  for (Region const& region : {shape, where}) {
    double sum = 0.0;
    for (int i = 0; i < 7; ++i) {
      Cell const cell{{{{i / 7.0, (i + 1) / 7.0}, {0, 0}, {0, 0}}}};
      sum += volume_of(grid, cell) * covered_share(grid, region, cell, {});
    }
    EXPECT_NEAR(sum, volume, 1e-10);
  }
  ScalarFunction const capacity = volume_mean(grid, {{{}, {1.0}}, {shape, {4.0}}});
  double heat = 0.0;
  for (std::int64_t i = 0; i < grid.points.x; ++i) {
    double const from = i == 0 ? 0.0 : grid.coordinate(0, i) - 0.5 / 7;
    double const to = i == 7 ? 1.0 : grid.coordinate(0, i) + 0.5 / 7;
    heat += capacity(grid.coordinate(0, i), 0, 0, 0) * grid.measure(0, from, to);
  }
  EXPECT_NEAR(heat, 4.0 / 3.0 * pi + 3.0 * volume, 1e-12);
}

/// Whether a part of space is certainly inside, or may be: no cell with a share between 0 and 1
/// escapes.
TEST(Solid, ChordsOfCellsEncloseTheirShares) {
  for (Solid const& solid :
       {make_ball(3, {0.5, 0.4, 0.6}, 0.33), make_box({0.1, 0.2, 0.3}, {0.55, 0.6, 0.8}),
        make_cylinder(1, {0.4, 0, 0.5}, 0.3, {0.1, 0.9})}) {
    for_each_cell(9, 1.0, [&](Cell const& cell) {
      double const share = solid.share(cell);
      for (int axis = 0; axis < 3; ++axis) {
        Interval const some = intersection(solid.some_chord(axis, cell), cell[axis]);
        Interval const every = solid.every_chord(axis, cell);
        bool const all = every.lower < cell[axis].lower && every.upper > cell[axis].upper;
        EXPECT_FALSE(share > 0.0 && some.empty());
        EXPECT_FALSE(share < 1.0 && all);
      }
    });
  }
}

TEST(Cell, PartsOfPeriodicVolumesLieAtBothEnds) {
  Grid const grid = make_grid(2, {4, 5, 1}, {0, 0, 0}, {4, 4, 0}, {true, false, false});
  EXPECT_EQ(volume_intervals(grid, 0, 0)[1], (Interval{3.5, 4.0}));
  EXPECT_EQ(volume_intervals(grid, 0, 3)[0], (Interval{2.5, 3.5}));
  EXPECT_EQ(volume_intervals(grid, 1, 4)[0], (Interval{3.5, 4.0}));
  double volume = 0.0;
  for_each_part(grid, {0, 0, 0}, [&](Cell const& part) { volume += volume_of(part); });
  EXPECT_DOUBLE_EQ(volume, 0.5);
}

TEST(Cell, MeanCapacityCountsVolumes) {
  Grid const grid = make_grid(2, {5, 5, 1}, {0, 0, 0}, {4, 4, 0}, {});
  Region const slab{[](double x, double, double) { return 1.1 <= x && x <= 2.0; }, "slab",
                    make_box({1.1, -infinity, -infinity}, {2.0, infinity, infinity})};
  ScalarFunction const mean = volume_mean(grid, {{{}, {1.0, 1.0, 1.0}}, {slab, {5.0, 5.0, 5.0}}});
  EXPECT_NEAR(mean(1, 2, 0, 0), 1.0 + 4.0 * 0.4, 1e-14);
  EXPECT_NEAR(mean(2, 2, 0, 0), 3.0, 1e-14);
  EXPECT_EQ(mean(3, 0, 0, 0), 1.0);
}

}  // namespace
}  // namespace isotherm::test
