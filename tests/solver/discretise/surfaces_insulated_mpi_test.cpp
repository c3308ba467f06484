#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "decomposition/field/value_refusal.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// Insulated regions whose surfaces lie between grid points: heat flows against closed forms.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using InsulatedSurfaces = BackendTest;
constexpr double pi = std::numbers::pi;

/// A quarter of a heat spreader: a die of 10 mm on a plate of 40 mm, 0.5 and 3 mm thick, with 50 W
/// on a patch of 2 mm.
Problem spreader(int q, int points_z) {
  Problem problem = box_problem(Equation::poisson, 3, {10 * q + 1, 10 * q + 1, points_z},
                                {neumann, 0.0}, {0.02, 0.02, 0.0035});
  fill(problem, box_region({-1, -1, 0.003}, {1, 1, 1}), {130.0, 130.0, 130.0}, 400.0);
  problem.boundary[{2, false}] = {robin, 25.0, 800.0};
  problem.medium.insulated.push_back(
      expression([](double x, double y, double z) { return z > 0.003 && std::max(x, y) > 0.005; }));
  Region const patch = box_region({-1, -1, 0.0034}, {0.001, 0.001, 0.0036});
  problem.patches.push_back({{2, true}, patch, {neumann, 1.0}});
  problem.patches[0].condition.is_flux = true;
  problem.patches[0].condition.value = 12.5 / flux_area(problem, {2, true}, 0);
  problem.initial.value = 25.0;
  return problem;
}

/// The hottest temperature of the spreader.
double hottest_of(int q, int points_z) {
  Problem const problem = spreader(q, points_z);
  auto solver = solved(problem, cycles(1e-12));
  EXPECT_LE(solver->iteration(), 11) << q;
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.faces[(Face{2, true})], 12.5, 2.5e-10) << q;
  EXPECT_NEAR(flows.faces[(Face{2, false})], -12.5, 1e-8) << q;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return ranks.max(std::ranges::max(field_of<double>(*solver)));
}

/// The patch, the die and the plate end between points on most of these grids.
TEST_F(InsulatedSurfaces, HeatSpreaderReceivesItsPowerOnAnyGrid) {
  for (int const q : {5, 6}) EXPECT_NEAR(hottest_of(q, 12), 136.25, 1.7) << q;
}

/// Refined along all axes, the temperature approaches 136.25 with second order.
TEST_F(InsulatedSurfaces, HeatSpreaderIsSecondOrder) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  double const coarse = hottest_of(2, 6), middle = hottest_of(4, 12), fine = hottest_of(8, 23);
  EXPECT_NEAR(coarse, 136.25, 10.0);
  EXPECT_NEAR(middle, 136.25, 2.5);
  EXPECT_NEAR(fine, 136.25, 0.65);
  EXPECT_NEAR(fine + (fine - middle) / 3.0, 136.25, 0.1);
}

PerAxis<double> const center{0.5137, 0.4871, 0.0};
constexpr double radius = 0.2713;

double distance(double x, double y) { return std::hypot(x - center[0], y - center[1]); }

/// An insulated cylinder in a uniform field: u = x (1 + R²/r²) with x from its center.
double error_of_cylinder(int n, bool by_expression) {
  auto const exact = [](double x, double y, double) {
    double const r = std::max(distance(x, y), radius);
    return (x - center[0]) * (1.0 + radius * radius / (r * r));
  };
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  problem.medium.insulated.push_back(
      by_expression ? expression([](double x, double y, double) { return distance(x, y) < radius; })
                    : solid_region(make_ball(2, center, radius)));
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 10);
  double const power = 2.0 * energy_of(*solver, problem);
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LT(std::abs(flows.balance), 1e-9);
  return power / 0.94416948 - 1.0;
}

TEST_F(InsulatedSurfaces, CylinderIsSecondOrder) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  for (bool const by_expression : {false, true}) {
    EXPECT_LT(std::abs(error_of_cylinder(16, by_expression)), 9e-4);
    EXPECT_LT(std::abs(error_of_cylinder(32, by_expression)), 4e-4);
    EXPECT_LT(std::abs(error_of_cylinder(64, by_expression)), 1.2e-4);
  }
}

/// A channel at 30° between two insulated half planes: u is linear along it.
TEST_F(InsulatedSurfaces, TiltedChannelConductsAlongIt) {
  double const nx = -std::sin(pi / 6), ny = std::cos(pi / 6);
  auto const exact = [=](double x, double y, double) { return ny * x - nx * y; };
  for (int const n : {16, 33}) {
    Problem problem =
        box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
    problem.medium.insulated.push_back(
        expression([=](double x, double y, double) { return nx * x + ny * y < 0.05; }));
    problem.medium.insulated.push_back(
        expression([=](double x, double y, double) { return nx * x + ny * y > 0.35; }));
    auto solver = solved(problem, cycles(1e-13));
    std::vector<double> const u = field_of<double>(*solver);
    double error = 0.0, volume = 0.0;
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
      Grid const& grid = problem.grid;
      volume += open_share_of_volume(problem, p) * isotherm::volume(grid, MediumUnits{}, p);
      if (constraint_of(problem, p) != constraint::none) return;
      double const wanted = exact(grid.coordinate(0, p.x), grid.coordinate(1, p.y), 0.0);
      error = std::max(error, std::abs(u[number] - wanted));
    });
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    EXPECT_LT(ranks.max(error), 0.02 / n) << n;
    double const power = 2.0 * energy_of(*solver, problem);
    EXPECT_NEAR(power / ranks.sum(volume), 1.0, 4e-4) << n;
  }
}

/// A material with a contact to the rest, and an insulated region with a film that it may share its
/// surface with.
HeatFlows flows_with_contact(int n, Region const& material, Region const& insulated,
                             double resistance) {
  Problem problem = box_problem(Equation::laplace, 2, {n, n, 1}, {neumann, 0.0});
  problem.boundary[{0, true}] = {dirichlet, 0.0};
  fill(problem, material, 5.0);
  auto layers = *problem.medium.layers;
  layers[1].number = 1;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  if (resistance > 0.0) problem.medium.contacts.push_back({0, 1, resistance});
  FixedRegion fluid{insulated, 1.0};
  fluid.film_coefficient = 2.0;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  auto const solver = solved(problem, cycles(1e-12));
  return flows_of(*solver, problem);
}

/// A contact acts between two open media. On and within the surface of an insulated region there is
/// none, on any grid.
TEST_F(InsulatedSurfaces, ContactOnTheSurfaceOfAnInsulatedRegionDoesNotAct) {
  Region const plane = box_region({-1, -1, -1}, {0.33, 2, 2});
  Region const by_expression = expression([](double x, double, double) { return x < 0.33; });
  Region const square = box_region({-1, -1, -1}, {0.33, 0.33, 2});
  Region const disc = solid_region(make_ball(2, {0.0, 0.0, 0.0}, 0.33));
  Region const inner = solid_region(make_ball(2, {0.4, 0.4, 0.0}, 0.2));
  Region const around = box_region({0.2, 0.2, -1}, {0.6, 0.6, 2});
  for (int const n : {11, 12, 17, 21}) {
    for (Region const& material : {plane, by_expression}) {
      HeatFlows const flows = flows_with_contact(n, material, plane, 1.0);
      EXPECT_NEAR(-flows.faces[(Face{0, true})], 1.0 / (0.5 + 0.67), 1e-9) << n;
    }
    for (auto const& [material, insulated] :
         {std::pair{square, square}, {disc, disc}, {inner, around}}) {
      HeatFlows const with = flows_with_contact(n, material, insulated, 1.0);
      HeatFlows const without = flows_with_contact(n, material, insulated, 0.0);
      EXPECT_NEAR(with.fixed[0], without.fixed[0], 1e-9) << n;
    }
  }
}

/// The contact acts up to an insulated region that it meets at a right angle, and behind a layer of
/// the material on the insulated surface.
TEST_F(InsulatedSurfaces, ContactNextToAnInsulatedRegionActs) {
  for (double const end : {0.5, 0.52}) {
    Problem problem = plates(2, {11, 11, 1}, 0);
    fill(problem, box_region({-1, -1, -1}, {0.4, 2, 2}), 1.0);
    auto layers = *problem.medium.layers;
    layers[1].number = 1;
    problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
    problem.medium.contacts.push_back({0, 1, 1.0});
    for (bool const is_box : {true, false}) {
      problem.medium.insulated = {
          is_box ? box_region({-1, -1, -1}, {2, end, 2})
                 : expression([=](double, double y, double) { return y < end; })};
      EXPECT_NEAR(flux(problem, 0), 0.5 * (1.0 - end), 1e-9) << end << is_box;
      EXPECT_NEAR(contact_areas(problem)[0], 1.0 - end, 1e-9) << end << is_box;
    }
  }
  Region const film = box_region({-1, -1, -1}, {0.33, 2, 2});
  for (int const n : {11, 17}) {
    HeatFlows const flows =
        flows_with_contact(n, box_region({-1, -1, -1}, {0.36, 2, 2}), film, 1.0);
    double const resistance = 0.5 + 0.03 / 5.0 + 1.0 + 0.64;
    EXPECT_NEAR(-flows.faces[(Face{0, true})], 1.0 / resistance, 1e-9) << n;
  }
}

/// Open shares follow from the whole grid, so a field does not depend on its decomposition.
TEST_F(InsulatedSurfaces, FieldHasTheSameBitsOnAnyNumberOfRanks) {
  Problem problem = plates(2, {24, 19, 1}, 0);
  problem.medium.insulated.push_back(solid_region(make_ball(2, center, radius)));
  problem.medium.insulated.push_back(
      expression([](double x, double y, double) { return y > 0.9 - 0.1 * x; }));
  auto solver = solved(problem, jacobi(60));
  mpi::Communicator const alone(MPI_COMM_SELF);
  auto whole = make_solver(alone, problem, jacobi(60), execution(problem, alone));
  whole->advance_to(60);
  std::vector<double> const found = field_of<double>(*solver), wanted = field_of<double>(*whole);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    EXPECT_EQ(found[number], wanted[static_cast<std::size_t>(p.y * 24 + p.x)]) << p.x << ' ' << p.y;
  });
}

/// A sheet across x, with a gap from y = 0.53 on.
Region sheet(double at, double thickness, bool by_expression, double end = 0.53) {
  double const lower = at - 0.5 * thickness, upper = at + 0.5 * thickness;
  if (!by_expression) return box_region({lower, -1, -1}, {upper, end, 1});
  return expression(
      [=](double x, double y, double) { return x >= lower && x <= upper && y <= end; });
}

TEST_F(InsulatedSurfaces, ThinSheetsSeparateTheirSidesAtAnyOffset) {
  for (double const at : {0.4137, 0.43, 0.45, 0.4999, 0.5, 0.5002}) {
    Problem problem = plates(2, {11, 6, 1}, 0);
    problem.medium.insulated.push_back(sheet(at, 1e-3, false, 2.0));
    EXPECT_LT(std::abs(flux(problem, 0)), 1e-14) << at;
  }
}

TEST_F(InsulatedSurfaces, SheetCutsTheSameLinksWhereverItCrossesThem) {
  double wanted = 0.0;
  for (double const at : {0.45, 0.401, 0.4137, 0.4999, 0.4}) {
    Problem problem = plates(2, {11, 11, 1}, 0);
    problem.medium.insulated.push_back(sheet(at, 1e-4, false));
    double const found = flux(problem, 0);
    if (wanted == 0.0) wanted = found;
    EXPECT_NEAR(found, wanted, 1e-5) << at;  // its thickness
  }
  EXPECT_GT(wanted, 0.5);
  EXPECT_LT(wanted, 0.9);
}

TEST_F(InsulatedSurfaces, TiltedSheetsByExpressionSeparateTheirSides) {
  for (double const degrees : {0.0, 17.0, 45.0}) {
    double const nx = std::cos(degrees * pi / 180), ny = std::sin(degrees * pi / 180);
    for (double const spacings : {0.5, 1.0, 1.4}) {
      for (double const at : {0.58, 0.5913}) {
        Problem problem = plates(2, {21, 17, 1}, 0, {1, 0.8, 1});
        problem.medium.insulated.push_back(expression([=](double x, double y, double) {
          return std::abs(nx * x + ny * y - at) <= 0.5 * spacings * 0.05;
        }));
        problem.boundary[{1, false}] = problem.boundary[{1, true}] = {neumann, 0.0};
        EXPECT_LT(std::abs(flux(problem, 0)), 1e-12) << degrees << ' ' << spacings << ' ' << at;
      }
    }
  }
}

/// Behind a sheet without a point no value is given, so heat there has no steady solution.
TEST_F(InsulatedSurfaces, SheetsSeparateFloatingComponents) {
  Problem problem = plates(2, {21, 6, 1}, 0);
  problem.equation = Equation::poisson;
  problem.boundary[{0, true}] = {neumann, 0.0};
  problem.source = steady([](double x, double, double) { return x > 0.8 ? 1.0 : 0.0; });
  EXPECT_NO_THROW((void)solved(problem, cycles()));
  problem.medium.insulated.push_back(sheet(0.43, 1e-3, false, 2.0));
  EXPECT_THROW((void)solved(problem, cycles()), ValueRefusal);
}

FixedRegion fluid_in(Region region, double coefficient, ScalarFunction ambient) {
  FixedRegion fluid{std::move(region), std::move(ambient)};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  return fluid;
}

/// Rows of links are examined only where a surface may cut them.
TEST_F(InsulatedSurfaces, RowsOfLinksHaveTheConductancesOfEachLink) {
  for (double const size : {0.04, 0.09, 0.2713}) {
    for (bool const is_graded : {false, true}) {
      Problem problem = plates(2, {19, 14, 1}, 0, {1.0, 1.3, 1});
      if (is_graded) problem = graded(problem);
      problem.medium.insulated.push_back(solid_region(make_ball(2, center, size)));
      problem.medium.insulated.push_back(
          box_region({0.1, 1.0 - size, -1}, {0.3 + size, 1.0 + 0.1 * size, 1}));
      problem.medium.fixed.push_back(
          fluid_in(solid_region(make_ball(2, {0.83, 0.31, 0}, size)), 2.0, 1.0));
      auto const links = link_conductivity(problem);
      Extent3 const n = problem.grid.points;
      for (int const axis : {0, 1}) {
        for (std::int64_t j = 0; j + axis < n.y; ++j) {
          std::vector<double> row(static_cast<std::size_t>(axis == 0 ? n.x - 1 : n.x));
          find_conductances(problem, MediumUnits{}, links, axis, {0, j, 0}, row);
          for (std::size_t i = 0; i < row.size(); ++i) {
            Index3 const lower{static_cast<std::int64_t>(i), j, 0};
            Index3 upper = lower;
            ++upper[axis];
            // Other links lead to no unknown.
            if (is_fixed_point(problem, lower) && is_fixed_point(problem, upper)) continue;
            EXPECT_EQ(row[i], conductance_of_link(problem, MediumUnits{}, axis, lower))
                << size << ' ' << axis << ' ' << i << ' ' << j;
          }
        }
      }
    }
  }
}

/// A fluid at 0 in a round hole: u = 1 − ln R + ln r with h = 1/R, so the heat is 2π.
double error_of_hole(int n, bool by_expression) {
  auto const exact = [](double x, double y, double) {
    return 1.0 - std::log(radius) + std::log(std::max(distance(x, y), radius));
  };
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  Region const hole =
      by_expression ? expression([](double x, double y, double) { return distance(x, y) < radius; })
                    : solid_region(make_ball(2, center, radius));
  problem.medium.fixed.push_back(fluid_in(hole, 1.0 / radius, 0.0));
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 10);
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LT(std::abs(flows.balance), 1e-8);
  return -flows.fixed[0] / (2 * pi) - 1.0;
}

TEST_F(InsulatedSurfaces, ConvectionInHoleIsSecondOrder) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  EXPECT_NEAR(error_of_hole(16, false), -8.1e-4, 0.2 * 8.1e-4);
  EXPECT_NEAR(error_of_hole(32, false), -1.7e-4, 0.2 * 1.7e-4);
  EXPECT_LT(std::abs(error_of_hole(64, false)), 1e-4);
  EXPECT_LT(std::abs(error_of_hole(32, true)), 8e-4);
}

/// An eighth of a ball of fluid, or the fluid around it: the areas that films act on sum to πR²/2.
/// Expressions have the same area as the solid.
double error_of_area(int n, Region region) {
  Problem problem = box_problem(Equation::laplace, 3, {n + 1, n + 1, n + 1}, {neumann, 0.0});
  constexpr double coefficient = 1e-9;  // the film is the only resistance
  problem.medium.fixed.push_back(fluid_in(std::move(region), coefficient, 0.0));
  double area = 0.0;
  for (std::int64_t k = 0; k <= n; ++k) {
    for (std::int64_t j = 0; j <= n; ++j) {
      for (std::int64_t i = 0; i <= n; ++i) {
        area += film_conductance(problem, MediumUnits{}, {i, j, k}) / coefficient;
      }
    }
  }
  return area / (pi / 2 * 0.8137 * 0.8137) - 1.0;
}

TEST_F(InsulatedSurfaces, FilmsActOnTheTrueAreaOfABall) {
  auto const is_inside = [](double x, double y, double z) { return std::hypot(x, y, z) < 0.8137; };
  std::vector<Region> const regions{
      solid_region(make_ball(3, {0, 0, 0}, 0.8137)), expression(is_inside),
      expression([=](double x, double y, double z) { return !is_inside(x, y, z); })};
  for (Region const& region : regions) {
    EXPECT_LT(std::abs(error_of_area(11, region)), 1.5e-3);
    EXPECT_LT(std::abs(error_of_area(17, region)), 6e-4);
  }
}

/// The area of a ball of fluid in the middle of a box with n intervals along each axis, by
/// comparison with the exact one. If n is a multiple of 4 and the radius 1/4, the surface passes
/// through points where the fluid is thinner than a control volume.
double error_of_whole_area(int dimension, int n, double at, double size) {
  int const points_z = dimension == 3 ? n + 1 : 1;
  Problem problem =
      box_problem(Equation::laplace, dimension, {n + 1, n + 1, points_z}, {dirichlet, 0.0});
  Solid const ball = make_ball(dimension, {at, 0.5, 0.5}, size);
  problem.medium.fixed.push_back(fluid_in(solid_region(ball), 4.0, 0.0));
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  double const exact = dimension == 3 ? 4.0 * pi * size * size : 2.0 * pi * size;
  return film_area(problem, 0, problem.grid.box()) / exact - 1.0;
}

TEST_F(InsulatedSurfaces, AreaIsRightIfTheSurfacePassesThroughPoints) {
  for (int const n : {20, 40, 80, 160}) {
    double const bound = 0.25 / (n * n) * 16.0;  // second order
    for (double const at : {0.5, 0.503}) {
      EXPECT_LT(std::abs(error_of_whole_area(2, n, at, 0.25)), bound) << n << ' ' << at;
    }
    // Less than a quarter of a spacing beyond the points.
    EXPECT_LT(std::abs(error_of_whole_area(2, n, 0.5, 0.2501)), bound) << n;
  }
  EXPECT_LT(std::abs(error_of_whole_area(3, 36, 0.5, 0.25)), 1.2e-3);
  EXPECT_LT(std::abs(error_of_whole_area(3, 36, 0.5, 0.2503)), 1.2e-3);
}

/// A plane surface at any offset, also on a face of control volumes, cooled by a fluid. The region
/// may include its surface or not.
TEST_F(InsulatedSurfaces, ConvectionOnPlaneIsResistanceInSeries) {
  for (double const at : {0.4137, 0.45, 0.4999, 0.5, 0.5713}) {
    std::vector<Region> const regions{
        box_region({-infinity, -infinity, -infinity}, {at, infinity, infinity}),
        expression([=](double x, double, double) { return x <= at; }),
        expression([=](double x, double, double) { return x < at; })};
    for (std::size_t i = 0; i < regions.size(); ++i) {
      Problem problem = plates(2, {11, 5, 1}, 0);
      problem.medium.fixed.push_back(fluid_in(regions[i], 2.5, 0.0));
      EXPECT_NEAR(flux(problem, 0), 1.0 / (1.0 - at + 0.4), 1e-10) << at << ' ' << i;
    }
  }
}

/// A Robin face and a film, both in the volume of one point and far apart.
TEST_F(InsulatedSurfaces, ConvectionBehindRobinFaceIsResistanceInSeries) {
  for (double const at : {0.03, 0.2, 0.6}) {
    for (double const coefficient : {0.5, 10.0, 1e9}) {
      Problem problem = box_problem(Equation::laplace, 2, {3, 3, 1}, {neumann, 0.0});
      problem.boundary[{0, false}] = {robin, 1.0, coefficient};
      problem.medium.fixed.push_back(fluid_in(box_region({at, -1, -1}, {2, 2, 1}), 5.0, 0.3));
      double const exact = 0.7 / (1.0 / coefficient + at + 0.2);
      HeatFlows const flows = flows_of(*solved(problem, cycles()), problem);
      EXPECT_NEAR(flows.faces[(Face{0, false})], exact, 1e-8) << at << ' ' << coefficient;
      EXPECT_NEAR(flows.fixed[0], -exact, 1e-8) << at << ' ' << coefficient;
    }
  }
}

/// Returns the area of a fluid in the middle of a box with 10 intervals along each axis.
double area_of_fluid(int dimension, Solid const& solid) {
  Problem problem =
      box_problem(Equation::laplace, dimension, {11, 11, dimension == 3 ? 11 : 1}, {dirichlet, 0});
  problem.medium.fixed.push_back(fluid_in(solid_region(solid), 4.0, 0.0));
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  return film_area(problem, 0, problem.grid.box());
}

/// Two surfaces meet in the volumes at edges and corners, and all of them count.
TEST_F(InsulatedSurfaces, AreasOfBoxesAndEndsOfCylindersAreExact) {
  for (double const at : {0.3, 0.317, 0.338}) {
    double const side = 0.7 - at;
    EXPECT_NEAR(area_of_fluid(2, make_box({at, at, -infinity}, {0.7, 0.7, infinity})), 4 * side,
                1e-12);
    EXPECT_NEAR(area_of_fluid(3, make_box({at, at, at}, {0.7, 0.7, 0.7})), 6 * side * side, 1e-12);
    // The round surface is second order accurate; longer cylinders have more of it.
    Solid const low = make_cylinder(2, {0.5, 0.5, 0.0}, 0.25, {0.5, 0.7});
    Solid const high = make_cylinder(2, {0.5, 0.5, 0.0}, 0.25, {at, 0.7});
    double const round = 2 * pi * 0.25;
    EXPECT_NEAR(area_of_fluid(3, high) - area_of_fluid(3, low), round * (0.5 - at), 5e-3);
    EXPECT_NEAR(area_of_fluid(3, high), round * side + 2 * pi * 0.25 * 0.25, 1e-2);
  }
}

/// The side faces give the field of a plane surface, so the fluid receives the heat of its whole
/// surface, including that from the volumes of points on these faces.
TEST_F(InsulatedSurfaces, FluidReceivesHeatFromDirichletFaces) {
  for (int const dimension : {2, 3}) {
    // With the last one, the volumes below the surface are so small that they are shut.
    for (double const at : {0.33, 0.36, 0.34995}) {
      Problem problem = plates(dimension, {8, 11, dimension == 3 ? 6 : 1}, 1);
      double const flux = 1.0 / (1.0 - at + 0.4);
      for (int const axis : {0, 2}) {
        if (axis >= dimension) continue;
        set_axis(
            problem, axis,
            {dirichlet, steady([=](double, double y, double) { return flux * (0.4 + y - at); })});
      }
      problem.boundary[{1, false}] = {neumann, 0.0};
      Region const below = box_region({-infinity, -infinity, -infinity}, {infinity, at, infinity});
      problem.medium.fixed.push_back(fluid_in(below, 2.5, 0.0));
      auto solver = solved(problem, cycles(1e-13));
      HeatFlows const flows = flows_of(*solver, problem);
      EXPECT_NEAR(flows.fixed[0], -flux, 1e-10) << dimension << ' ' << at;
      EXPECT_NEAR(flows.balance, 0.0, 1e-10) << dimension << ' ' << at;
      EXPECT_NEAR(film_area(problem, 0, problem.grid.box()), 1.0, 1e-12) << dimension << ' ' << at;
    }
  }
}

/// Heat leaves a block through a hole alone. Each implicit step removes what the film takes.
TEST_F(InsulatedSurfaces, ImplicitStepsConserveHeatBesidesConvection) {
  Problem problem = box_problem(Equation::diffusion, 2, {25, 21, 1}, {neumann, 0.0});
  problem.medium.fixed.push_back(
      fluid_in(solid_region(make_ball(2, center, radius)), 0.3,
               varying([](double, double, double, double t) { return t; })));
  problem.medium.capacity = capacity_of_open_part(problem, 2.0);
  problem.initial.value = steady([](double x, double y, double) { return 5.0 + x * y; });
  MethodSettings method = cycles(1e-12);
  method.name = "backward_euler";
  method.time_step_s = 0.7;
  method.iterations = 3;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto solver = make_solver(ranks, problem, method, execution(problem, ranks));
  EnergyMeter<double> meter(ranks, solver->queue(), solver->subdomain(), problem);
  auto const heat = [&] {
    return meter.heat(std::get<FieldView<double const>>(solver->field_view()));
  };
  double before = heat();
  EXPECT_NEAR(before / (2.0 * (1.0 - pi * radius * radius)), 5.25, 0.05);
  for (int step = 1; step <= 3; ++step) {
    solver->advance_to(step);
    double const now = heat(), taken = flows_of(*solver, problem).fixed[0];
    EXPECT_LT(taken, 0.0);
    EXPECT_NEAR(now - before, 0.7 * taken, 1e-8) << step;
    before = now;
  }
}

/// A fluid that is thinner than a control volume, with a plane of points in it.
TEST_F(InsulatedSurfaces, ThinFluidTakesHeatOnBothSides) {
  Problem problem = plates(2, {11, 5, 1}, 0);
  problem.boundary[{0, false}] = {dirichlet, 1.0};
  problem.medium.fixed.push_back(
      fluid_in(box_region({0.48, -infinity, -infinity}, {0.51, infinity, infinity}), 2.5, 0.0));
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  auto solver = solved(problem, cycles());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(-flows.fixed[0], 1.0 / (0.48 + 0.4) + 1.0 / (0.49 + 0.4), 1e-9);
  EXPECT_NEAR(film_area(problem, 0, problem.grid.box()), 2.0, 1e-12);
}

/// A box that ends short of faces by rounding ends on them: a wall with a film, and a strip of a
/// face that the box leaves open, which lets in a flux.
TEST_F(InsulatedSurfaces, BoxesThatMissAFaceByRoundingEndOnIt) {
  for (double const gap : {0.0, 1e-14}) {
    Region const box = box_region({0.37, gap, -infinity}, {1.0 - gap, 1.0 - gap, infinity});
    Problem problem = plates(2, {11, 7, 1}, 0);
    problem.boundary[{0, true}] = {neumann, 0.0};
    problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
        std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
    Problem wall = problem;
    wall.medium.fixed.push_back(fluid_in(box, 2.5, 1.0));
    EXPECT_NEAR(flows_of(*solved(wall, cycles()), wall).fixed[0], 1.0 / (0.4 + 0.37), 1e-9) << gap;

    problem.medium.insulated.push_back(box);
    BoundaryCondition flux{neumann, 2.0};
    flux.is_flux = true;
    Problem patched = problem;
    problem.boundary[{1, false}] = flux;
    patched.patches.push_back({{1, false}, box_region({-1, -1, -1}, {2, 1, 1}), flux});
    for (Problem const& heated : {problem, patched}) {
      HeatFlows const flows = flows_of(*solved(heated, cycles()), heated);
      EXPECT_NEAR(flows.faces[(Face{1, false})], 2.0 * 0.37, 1e-12) << gap;
      EXPECT_NEAR(flows.faces[(Face{0, false})], -2.0 * 0.37, 1e-9) << gap;
    }
  }
}

/// What a region in a cell with periodic axes is: a fluid, a given value, or one behind a film.
enum class Filling { fluid, value, film };

/// Returns the heat that regions take from the lower plate of a cell, whose x axis is periodic.
/// @param copies  of one region, if it reaches across the end of the axis
double taken_in_cell(Filling filling, std::vector<Region> const& copies) {
  Problem problem = plates(2, {13, 6, 1}, 1);
  problem.grid = make_grid(2, {13, 6, 1}, {0, 0, 0}, {1, 1, 1}, {true, false, false});
  set_axis(problem, 0, {periodic});
  problem.boundary[{1, false}] = {dirichlet, 20.0};
  problem.boundary[{1, true}] = {neumann, 0.0};
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  for (Region const& copy : copies) {
    FixedRegion region = fluid_in(copy, 4.0, 10.0);
    region.is_excluded = filling == Filling::fluid;
    if (filling == Filling::value) region.film_coefficient.reset();
    problem.medium.fixed.push_back(region);
  }
  auto solver = solved(problem, cycles(1e-13));
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.balance, 0.0, 1e-9);
  return flows.faces[(Face{1, false})];
}

/// Sheets that are thinner than a spacing, with and without a row of points in them.
TEST_F(InsulatedSurfaces, ThinFluidsContinueAcrossTheEndOfAPeriodicAxis) {
  auto const sheet_at = [](double center) {
    return box_region({center - 0.02, -1, -1}, {center + 0.02, 2, 1});
  };
  for (double const place : {0.0, 0.01, -0.01, -0.03}) {
    double const middle = 6.0 / 13.0 + place;
    EXPECT_NEAR(taken_in_cell(Filling::fluid, {sheet_at(place), sheet_at(1.0 + place)}),
                taken_in_cell(Filling::fluid, {sheet_at(middle)}), 1e-9)
        << place;
  }
}

/// A cell that begins elsewhere is the same cell: its regions are given twice if they reach across
/// the end of the axis.
TEST_F(InsulatedSurfaces, ContinueAcrossTheEndOfAPeriodicAxis) {
  double const moved = 7.0 / 13.0;
  auto const box = [](double center) {
    return box_region({center - 0.25, 0.23, -1}, {center + 0.25, 0.81, 1});
  };
  auto const disc = [](double center) {
    return expression(
        [=](double x, double y, double) { return std::hypot(x - center, y - 0.55) < 0.3; });
  };
  for (Filling const filling : {Filling::fluid, Filling::value, Filling::film}) {
    double const middle = 0.48, first = middle - 1.0 + moved, last = middle + moved;
    EXPECT_NEAR(taken_in_cell(filling, {box(first), box(last)}),
                taken_in_cell(filling, {box(middle)}), 1e-9)
        << static_cast<int>(filling);
    EXPECT_NEAR(taken_in_cell(filling, {disc(first), disc(last)}),
                taken_in_cell(filling, {disc(middle)}), filling == Filling::value ? 1e-6 : 0.06)
        << static_cast<int>(filling);
  }
}

}  // namespace
}  // namespace isotherm::test
