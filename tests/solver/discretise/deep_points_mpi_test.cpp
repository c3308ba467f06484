#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Grid points deep in a fluid behind a poor conductor: their distance from the surface resists more
// than the film. The heat through a wall is that of one dimension.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using DeepPoints = BackendTest;
constexpr double pi = std::numbers::pi;
constexpr double conductivity = 0.1, cold = 300.0, hot = 900.0;

void set_conductivity(Problem& problem) {
  make_isotropic(problem, conductivity);
  ScalarFunction const value = conductivity;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, {value, value, value}}});
}

FixedRegion fluid_at(Region where, double ambient, double coefficient) {
  FixedRegion fluid{std::move(where), ambient};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  return fluid;
}

/// A box that is bounded along one axis.
Region slab(int axis, double from, double to) {
  PerAxis<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
  lower[axis] = from;
  upper[axis] = to;
  return box_region(lower, upper);
}

/// The same as an expression in one coordinate.
Region expression_of_slab(int axis, double from, double to) {
  Region region = expression([=](double x, double y, double z) {
    double const at = PerAxis<double>{x, y, z}[axis];
    return from < at && at < to;
  });
  region.varies_along = {axis == 0, axis == 1, axis == 2};
  return region;
}

/// A wall between a fluid and a cold face of the grid.
struct Wall {
  int axis;
  bool is_below;  ///< the fluid lies at the lower end of the axis
  Grid grid;
  bool is_expression = false;

  /// Returns the coordinate at a fraction of the gap from a point in the fluid to the next one.
  [[nodiscard]] double surface(double fraction) const {
    std::int64_t const middle = grid.points[axis] / 2;
    double const from = grid.coordinate(axis, middle);
    double const to = grid.coordinate(axis, middle + (is_below ? 1 : -1));
    return from + fraction * (to - from);
  }
  [[nodiscard]] Problem problem(double at) const {
    Problem problem;
    problem.equation = Equation::laplace;
    problem.grid = grid;
    for (int other = 0; other < grid.dimension; ++other) {
      set_axis(problem, other, {grid.periodic[other] ? periodic : neumann});
    }
    problem.boundary[{axis, is_below}] = {dirichlet, cold};
    problem.initial.value = cold;
    set_conductivity(problem);
    double const from = is_below ? -infinity : at, to = is_below ? at : infinity;
    Region const where = is_expression ? expression_of_slab(axis, from, to) : slab(axis, from, to);
    problem.medium.fixed.push_back(fluid_at(where, hot, 1.0));
    return problem;
  }
  /// Compares the heat with that of a film and a wall in series.
  /// @param area        of the surface at a place
  /// @param resistance  of the wall between a place and the cold face
  void expect_heat(std::function<double(double)> const& area,
                   std::function<double(double)> const& resistance) const {
    for (double const fraction : {1e-4, 0.3, 0.498, 0.8}) {
      double const at = surface(fraction);
      Problem problem = this->problem(at);
      for (double const biot : {0.4, 1e3}) {
        double const coefficient = biot * conductivity / grid.spacing[axis];
        problem.medium.fixed[0].film_coefficient = coefficient;
        auto const solver = solved(problem, cycles(1e-13));
        EXPECT_TRUE(solver->converged());
        HeatFlows const flows = flows_of(*solver, problem);
        double const heat = (hot - cold) / (1.0 / (coefficient * area(at)) + resistance(at));
        EXPECT_NEAR(flows.fixed[0] / heat, 1.0, 1e-8)
            << is_below << axis << ' ' << fraction << ' ' << biot;
        EXPECT_NEAR(flows.faces[(Face{axis, is_below})] / heat, -1.0, 1e-8)
            << is_below << axis << ' ' << fraction << ' ' << biot;
      }
    }
  }
  void expect_heat_of_plane() const {
    double area = 1.0;
    for (int other = 0; other < grid.dimension; ++other) {
      if (other != axis) area *= grid.length(other);
    }
    double const end = is_below ? grid.upper(axis) : grid.lower[axis];
    expect_heat([=](double) { return area; },
                [=](double at) { return std::abs(end - at) / (conductivity * area); });
  }
};

TEST_F(DeepPoints, PlaneWallsAreExactAtAnyOffset) {
  Grid const plane = make_grid(2, {12, 5, 1}, {0, 0, 0}, {0.1, 0.3, 1}, {});
  Wall{0, true, plane}.expect_heat_of_plane();
  Wall{0, false, plane}.expect_heat_of_plane();
  Wall{1, true, plane}.expect_heat_of_plane();
  Wall{2, false, make_grid(3, {4, 3, 9}, {0, 0, 0}, {0.2, 0.3, 0.1}, {})}.expect_heat_of_plane();
}

TEST_F(DeepPoints, WallsOnGradedGridsAreExact) {
  Problem wall = plates(2, {12, 11, 1}, 0);
  wall = graded(wall);
  for (int const axis : {0, 1}) {
    Wall{axis, true, wall.grid}.expect_heat_of_plane();
    Wall{axis, false, wall.grid}.expect_heat_of_plane();
  }
}

TEST_F(DeepPoints, ExpressionsInOneCoordinateAreExact) {
  Grid const plane = make_grid(2, {5, 12, 1}, {0, 0, 0}, {0.3, 0.1, 1}, {true, false, false});
  Wall{1, true, plane, true}.expect_heat_of_plane();
  Wall{0, false, graded(plates(2, {12, 5, 1}, 0)).grid, true}.expect_heat_of_plane();
}

/// The wall continues across the ends of the axes along it.
TEST_F(DeepPoints, WallsAlongPeriodicAxesAreExact) {
  Wall{1, true, make_grid(2, {5, 11, 1}, {0, 0, 0}, {1, 1, 1}, {true, false, false})}
      .expect_heat_of_plane();
  Wall{0, false, make_grid(3, {9, 3, 4}, {0, 0, 0}, {1, 1, 1}, {false, true, true})}
      .expect_heat_of_plane();
}

/// Shells around an axis of rotation or a centre, with the fluid inside and outside of them.
TEST_F(DeepPoints, ShellsAreExact) {
  for (Geometry const geometry : {Geometry::axisymmetric, Geometry::spherical}) {
    bool const is_sphere = geometry == Geometry::spherical;
    double const inner = 0.2, outer = 1.0, height = is_sphere ? 1.0 : 0.7;
    Grid grid = make_grid(2, {9, is_sphere ? 1 : 4, 1}, {inner, 0, 0}, {outer, height, 0},
                          {false, is_sphere, false});
    std::vector<double> radii;
    for (std::int64_t i = 0; i < grid.points.x; ++i) radii.push_back(grid.coordinate(0, i));
    grid = with_coordinates(grid, 0, radii);
    grid.geometry = geometry;
    for (bool const is_below : {true, false}) {
      double const end = is_below ? outer : inner;
      Wall const wall{0, is_below, grid};
      auto const area = [&](double r) { return is_sphere ? 4 * pi * r * r : 2 * pi * r * height; };
      wall.expect_heat(area, [&](double r) {
        double const length = is_sphere ? std::abs(1 / r - 1 / end) / (4 * pi)
                                        : std::abs(std::log(end / r)) / (2 * pi * height);
        return length / conductivity;
      });
    }
  }
}

/// Two fluids exchange heat through two walls on a periodic axis, wherever the axis begins.
TEST_F(DeepPoints, WallsAcrossAPeriodicAxisAreExact) {
  double const h = 40.0;
  for (double const moved : {0.0, 0.02, 0.137, 0.3, 0.31, 0.35, 0.5, 0.71, 0.79, 0.93, 0.98}) {
    Problem problem = plates(2, {11, 4, 1}, 1);
    problem.grid = make_grid(2, {11, 4, 1}, {0, 0, 0}, {1, 1, 1}, {true, false, false});
    set_axis(problem, 0, {periodic});
    set_axis(problem, 1, {neumann, 0.0});
    set_conductivity(problem);
    problem.initial.value = cold;
    for (double const shift : {moved - 1.0, moved}) {
      problem.medium.fixed.push_back(fluid_at(slab(0, 0.02 + shift, 0.3 + shift), hot, h));
      problem.medium.fixed.push_back(fluid_at(slab(0, 0.52 + shift, 0.79 + shift), cold, 2 * h));
    }
    auto const solver = solved(problem, cycles(1e-13));
    EXPECT_TRUE(solver->converged());
    std::vector<double> const taken = flows_of(*solver, problem).fixed;
    double const films = 1 / h + 0.5 / h;
    double const heat =
        (hot - cold) * (1 / (films + 0.22 / conductivity) + 1 / (films + 0.23 / conductivity));
    EXPECT_NEAR((taken.at(0) + taken.at(2)) / heat, 1.0, 1e-8) << moved;
    EXPECT_NEAR((taken.at(1) + taken.at(3)) / heat, -1.0, 1e-8) << moved;
  }
}

}  // namespace
}  // namespace isotherm::test
