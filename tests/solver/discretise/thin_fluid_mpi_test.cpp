#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "solver/discretise/shapes/films/surface_film.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Fluids that are thinner than a control volume, or known at points only. If no point lies in one,
// it acts on the volumes next to it, else on the links to its points. And a medium that is thinner
// than a control volume between the surfaces of fluids.

namespace isotherm::test {
namespace {

using ThinFluid = BackendTest;

struct Sheet {
  double from, to;
};

/// Plates at 0 and 1, and a sheet of fluid at 2 across the axis between them.
Problem sheet(int axis, double from, double to, double coefficient) {
  Extent3 points{5, 5, 1};
  points[axis] = 11;
  Problem problem = plates(2, points, axis);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  PerAxis<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
  lower[axis] = from;
  upper[axis] = to;
  FixedRegion fluid{box_region(lower, upper), 2.0};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  return problem;
}

/// Both sides conduct from the surface to a plate, in series with the film.
TEST_F(ThinFluid, HeatsBothSidesThroughItsFilms) {
  double const h = 2.5;
  for (int const axis : {0, 1}) {
    for (auto const [from, to] : {Sheet{0.42, 0.44}, Sheet{0.42, 0.47}, Sheet{0.46, 0.49}}) {
      Problem const problem = sheet(axis, from, to, h);
      auto const solver = solved(problem, cycles());
      EXPECT_TRUE(solver->converged());
      HeatFlows const flows = flows_of(*solver, problem);
      double const below = 2.0 / (1 / h + from), above = 1.0 / (1 / h + 1.0 - to);
      EXPECT_NEAR(flows.faces[(Face{axis, false})], -below, 1e-9) << axis << ' ' << from;
      EXPECT_NEAR(flows.faces[(Face{axis, true})], -above, 1e-9) << axis << ' ' << from;
      EXPECT_NEAR(flows.fixed[0], below + above, 1e-9) << axis << ' ' << from;
    }
  }
}

/// Plates at 1 with a fluid at 0 between them, in which there are points. The side faces, across
/// the other axes, give the field between the plates.
struct BetweenPlates {
  int dimension;
  double from, to;  ///< the surfaces of the fluid along y
  double coefficient = 2.5;

  /// The heat flux densities below and above the fluid.
  [[nodiscard]] double below() const { return 1.0 / (from + 1.0 / coefficient); }
  [[nodiscard]] double above() const { return 1.0 / (1.0 - to + 1.0 / coefficient); }

  [[nodiscard]] Problem problem(Region region) const {
    Problem made = plates(dimension, {7, 11, dimension == 3 ? 5 : 1}, 1);
    made.boundary[{1, false}] = {BoundaryKind::dirichlet, 1.0};
    for (int const axis : {0, 2}) {
      if (axis >= dimension) continue;
      set_axis(made, axis, {BoundaryKind::dirichlet, steady([*this](double, double y, double) {
                              double const middle = 0.5 * (from + to);
                              return y < middle ? 1.0 - below() * y : 1.0 - above() * (1.0 - y);
                            })});
    }
    made.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
        std::vector<MediumLayer>{{{}, made.medium.conductivity}});
    FixedRegion fluid{std::move(region), 0.0};
    fluid.film_coefficient = coefficient;
    fluid.is_excluded = true;
    made.medium.fixed.push_back(fluid);
    return made;
  }

  /// The fluid receives heat from its whole surface, that within the side faces' volumes included.
  void expect_whole_surface(Problem const& problem) const {
    auto solver = solved(problem, cycles(1e-13));
    EXPECT_TRUE(solver->converged());
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(-flows.fixed[0], below() + above(), 1e-10) << dimension << ' ' << from;
    EXPECT_NEAR(flows.balance, 0.0, 1e-10) << dimension << ' ' << from;
    EXPECT_NEAR(film_area(problem, 0, problem.grid.box()), 2.0, 1e-12) << dimension << ' ' << from;
  }
};

/// The second sheet lies next to a plate.
TEST_F(ThinFluid, WithPointsReceivesHeatFromDirichletFaces) {
  for (int const dimension : {2, 3}) {
    for (auto const& [from, to] : {std::pair{0.48, 0.51}, std::pair{0.08, 0.12}}) {
      BetweenPlates const sheet{dimension, from, to};
      sheet.expect_whole_surface(sheet.problem(box_region({-1, from, -1}, {2, to, 2})));
    }
  }
}

/// The surface of a fluid that is known at points only goes through these points.
Region known_at_points(double from, double to) {
  Region region;
  region.contains = [=](double, double y, double) { return y > from - 1e-6 && y < to + 1e-6; };
  region.at_points = true;
  return region;
}

TEST_F(ThinFluid, KnownAtPointsReceivesHeatFromDirichletFaces) {
  for (int const dimension : {2, 3}) {
    for (auto const& [from, to] : {std::pair{0.5, 0.5}, std::pair{0.4, 0.7}, std::pair{0.1, 0.2}}) {
      BetweenPlates const sheet{dimension, from, to};
      sheet.expect_whole_surface(sheet.problem(known_at_points(from, to)));
    }
  }
}

/// The surface of another region opens no point of the fluid.
TEST_F(ThinFluid, KnownAtPointsRemainsNextToAnInsulatedRegion) {
  Problem problem = plates(2, {11, 11, 1}, 1);
  problem.boundary[{1, false}] = {BoundaryKind::dirichlet, 1.0};
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  FixedRegion fluid{known_at_points(0.4, 0.7), 0.0};
  fluid.film_coefficient = 2.5;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  // An insulated strip along the flow takes a part of both plates.
  problem.medium.insulated.push_back(box_region({0.73, -1, -1}, {2, 2, 1}));
  auto solver = solved(problem, cycles(1e-13));
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(-flows.fixed[0], 0.73 * (1.0 / (0.4 + 0.4) + 1.0 / (0.3 + 0.4)), 1e-10);
  EXPECT_NEAR(film_area(problem, 0, problem.grid.box()), 2.0 * 0.73, 1e-12);
}

using ThinMedium = BackendTest;

/// A fluid of some value in a region.
FixedRegion fluid_at(Region region, double value, double coefficient) {
  FixedRegion fluid{std::move(region), value};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  return fluid;
}

/// Returns a problem with insulated faces and the conductivity 1.
Problem without_plates(int dimension, Extent3 points, int axis) {
  Problem problem = plates(dimension, points, axis);
  set_axis(problem, axis, {BoundaryKind::neumann, 0.0});
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  return problem;
}

/// Fills the places below and above a sheet with fluids, and compares the heat that they exchange
/// with that of the sheet and both films in series.
/// @param thickness  of the fluids; there is medium beyond them
void expect_conduction(Problem problem, int axis, Sheet sheet, double thickness) {
  auto const [from, to] = sheet;
  PerAxis<double> lower{-2, -2, -2}, upper{2, 2, 2};
  lower[axis] = from - thickness;
  upper[axis] = from;
  problem.medium.fixed.push_back(fluid_at(box_region(lower, upper), 0.0, 2.5));
  lower[axis] = to;
  upper[axis] = to + thickness;
  problem.medium.fixed.push_back(fluid_at(box_region(lower, upper), 1.0, 40.0));
  auto solver = solved(problem, cycles(1e-13));
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  double const wanted = 1.0 / (1.0 / 2.5 + (to - from) + 1.0 / 40.0);
  EXPECT_NEAR(flows.fixed[0], -wanted, 1e-10) << axis << ' ' << from;
  EXPECT_NEAR(flows.fixed[1], wanted, 1e-10) << axis << ' ' << from;
  double const sides = thickness < 1.0 ? 2.0 : 1.0;
  for (int const region : {0, 1}) {
    EXPECT_NEAR(film_area(problem, region, problem.grid.box()), sides, 1e-12) << from;
  }
}

/// A sheet of medium between two fluids, in the volume of one row of points, passes on what its
/// resistance and both films let through.
TEST_F(ThinMedium, ConductsBetweenTwoFluids) {
  for (int const axis : {0, 1}) {
    for (Sheet const sheet : {Sheet{0.485, 0.515}, Sheet{0.46, 0.54}, Sheet{0.4999, 0.52},
                              Sheet{0.51, 0.54}, Sheet{0.5, 0.545}}) {
      Extent3 points{5, 5, 1};
      points[axis] = 11;
      expect_conduction(without_plates(2, points, axis), axis, sheet, 2.0);
    }
  }
}

/// In a grid of one axis all links of the sheet's point are shut.
TEST_F(ThinMedium, ConductsBetweenTwoFluidsOnASingleAxis) {
  Problem problem = without_plates(2, {11, 2, 1}, 0);
  problem.grid = make_grid(2, {11, 1, 1}, {0, 0, 0}, {1, 1, 1}, {false, true, false});
  set_axis(problem, 1, {BoundaryKind::periodic});
  for (Sheet const sheet : {Sheet{0.45, 0.49}, Sheet{0.47, 0.53}, Sheet{0.455, 0.545},
                            Sheet{0.36, 0.44}, Sheet{0.51, 0.54}}) {
    expect_conduction(problem, 0, sheet, 2.0);
  }
  // Fluids that lie between the point and its neighbours.
  expect_conduction(problem, 0, {0.46, 0.54}, 0.03);
  expect_conduction(problem, 0, {0.44, 0.56}, 0.03);
}

/// A pin fin that is thinner than a spacing along both other axes, as a box and as an expression.
TEST_F(ThinMedium, LosesHeatAroundAPin) {
  double const side = 0.06, h = 0.02;
  Problem problem = plates(3, {21, 5, 5}, 0);
  problem.boundary[{0, true}] = {BoundaryKind::neumann, 0.0};
  problem.boundary[{0, false}] = {BoundaryKind::dirichlet, 1.0};
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  double const low = 0.5 - 0.5 * side, high = 0.5 + 0.5 * side;
  auto const outside = [=](double, double y, double z) {
    return y < low || y > high || z < low || z > high;
  };
  problem.medium.fixed.push_back(fluid_at(expression(outside), 0.0, h));
  auto solver = solved(problem, cycles(1e-12));
  EXPECT_TRUE(solver->converged());
  double const area = film_area(problem, 0, problem.grid.box());
  EXPECT_NEAR(area, 4.0 * side, 1e-9);
  double const m = std::sqrt(h * area / (side * side));
  EXPECT_NEAR(-flows_of(*solver, problem).fixed[0], side * side * m * std::tanh(m), 1e-5);
}

}  // namespace
}  // namespace isotherm::test
