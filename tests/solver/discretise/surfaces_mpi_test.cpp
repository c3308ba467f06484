#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Fixed regions whose surfaces lie between grid points, films on them, and contact resistances:
// heat flows against closed forms.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Surfaces = BackendTest;
constexpr double pi = std::numbers::pi;

double distance(PerAxis<double> const& center, int dimension, double x, double y, double z) {
  return std::hypot(x - center[0], y - center[1], dimension == 3 ? z - center[2] : 0.0);
}

FixedRegion fixed(Region region, ScalarFunction value) {
  return {std::move(region), std::move(value)};
}

void set_base(Problem& problem) {
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
}

/// A ball at 1 within a larger one at 0, both between grid points.
struct Annulus {
  int dimension;
  PerAxis<double> center;
  double inner, outer;

  [[nodiscard]] double exact_flux() const {
    return dimension == 2 ? 2 * pi / std::log(outer / inner) : 4 * pi / (1 / inner - 1 / outer);
  }
  double operator()(double x, double y, double z) const {
    double const r = std::clamp(distance(center, dimension, x, y, z), inner, outer);
    return dimension == 2 ? std::log(outer / r) / std::log(outer / inner)
                          : (1 / r - 1 / outer) / (1 / inner - 1 / outer);
  }
};

struct Errors {
  double field, flux;
};

Errors errors_of(Annulus const& annulus, int n) {
  int const d = annulus.dimension;
  Problem problem =
      box_problem(Equation::laplace, d, {n + 1, n + 1, d == 3 ? n + 1 : 1}, {dirichlet, 0.0});
  problem.medium.fixed.push_back(
      fixed(solid_region(make_ball(d, annulus.center, annulus.inner)), 1.0));
  problem.medium.fixed.push_back(fixed(expression([=](double x, double y, double z) {
                                         return distance(annulus.center, d, x, y, z) >=
                                                annulus.outer;
                                       }),
                                       0.0));
  set_base(problem);
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LT(std::abs(flows.balance), 1e-8 * flows.in);
  double const field =
      mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, annulus));
  return {field, flows.fixed[0] / annulus.exact_flux() - 1.0};
}

TEST_F(Surfaces, ElectrodesOfCoaxAreSecondOrder) {
  Annulus const coax{2, {0.5137, 0.4871, 0}, 0.125, 0.45};
  Errors const coarse = errors_of(coax, 32), middle = errors_of(coax, 64),
               fine = errors_of(coax, 128);
  EXPECT_LT(coarse.field, 6e-3);
  EXPECT_LT(fine.field, coarse.field / 9);
  EXPECT_LT(std::abs(coarse.flux), 6e-3);
  EXPECT_LT(std::abs(middle.flux), std::abs(coarse.flux) / 3);
  EXPECT_LT(std::abs(fine.flux), std::abs(coarse.flux) / 10);
}

TEST_F(Surfaces, SphericalCapacitorIsSecondOrder) {
  Annulus const sphere{3, {0.5137, 0.4871, 0.5061}, 0.17, 0.45};
  Errors const coarse = errors_of(sphere, 12), fine = errors_of(sphere, 32);
  EXPECT_LT(coarse.field, 3.6e-2);
  EXPECT_LT(std::abs(coarse.flux), 3.5e-2);
  EXPECT_LT(fine.field, 9e-3);
  EXPECT_LT(std::abs(fine.flux), 4e-3);
}

TEST_F(Surfaces, PlateAtAnyOffsetConductsExactly) {
  for (double const at : {0.4137, 0.45, 0.4999, 0.5}) {
    for (bool const by_expression : {false, true}) {
      Problem problem = plates(2, {11, 5, 1}, 0);
      Region const plate = by_expression
                               ? expression([=](double x, double, double) { return x <= at; })
                               : box_region({-1, -1, -1}, {at, 2, 1});
      problem.medium.fixed.push_back(fixed(plate, 0.25));
      set_base(problem);
      EXPECT_NEAR(flux(problem, 0), 0.75 / (1.0 - at), 1e-10) << at << by_expression;
    }
  }
}

TEST_F(Surfaces, ElectrodeInMaterialConductsThroughPieces) {
  Problem problem = plates(2, {11, 5, 1}, 0);
  fill(problem, box_region({0.46, -1, -1}, {0.71, 2, 1}), 4.0);
  problem.medium.fixed.push_back(fixed(box_region({-1, -1, -1}, {0.43, 2, 1}), 0.0));
  EXPECT_NEAR(flux(problem, 0), 1.0 / (0.03 + 0.25 / 4.0 + 0.29), 1e-11);
}

/// Points along `axis`, the other axis of a 2D grid has five.
Extent3 points_along(int axis, std::int64_t n) {
  return axis == 0 ? Extent3{n, 5, 1} : Extent3{5, n, 1};
}
/// The half space between two coordinates along an axis.
Region between(int axis, double lower, double upper) {
  PerAxis<double> from{-infinity, -infinity, -infinity}, to{infinity, infinity, infinity};
  from[axis] = lower;
  to[axis] = upper;
  return box_region(from, to);
}

/// Also if the surface goes through points whose coordinates are rounded: 3 · 0.1 > 0.3.
TEST_F(Surfaces, FilmIsResistanceInSeries) {
  for (int const axis : {0, 1}) {
    for (double const at : {0.437, 0.3, 0.6}) {
      Problem problem = plates(2, points_along(axis, 11), axis);
      FixedRegion plate = fixed(between(axis, -infinity, at), 0.0);
      plate.film_coefficient = 2.5;
      problem.medium.fixed.push_back(plate);
      set_base(problem);
      EXPECT_NEAR(flux(problem, axis), 1.0 / (1.0 - at + 0.4), 1e-10) << axis << ' ' << at;
    }
  }
}

TEST_F(Surfaces, LayersThatEndAtPointsHaveTheirThickness) {
  for (int const axis : {0, 1}) {
    Problem problem = plates(2, points_along(axis, 11), axis);
    fill(problem, between(axis, 0.3, 0.6), 10.0);
    EXPECT_NEAR(flux(problem, axis), 1.0 / (0.7 + 0.03), 1e-10) << axis;
  }
}

/// The resistance of a thin layer does not depend on the spacing, down to the rounding of its ends.
/// It may coat an electrode.
TEST_F(Surfaces, ThinLayersKeepTheirResistance) {
  double const at = 0.61;
  for (double const thickness : {1e-5, 1e-7, 1e-9, 1e-11}) {
    double const rounded = (at + thickness) - at;
    for (bool const is_coating : {false, true}) {
      if (is_coating && thickness < 1e-8) continue;
      Problem problem = plates(2, {is_coating ? 9 : 3, 3, 1}, 0, {0.8, 1, 1});
      fill(problem, between(0, at, at + thickness), rounded / 9.0);
      if (is_coating) problem.medium.fixed.push_back(fixed(between(0, -infinity, at), 0.0));
      double const rest = (is_coating ? 0.8 - at : 0.8) - rounded;
      EXPECT_NEAR(flux(problem, 0), 1.0 / (rest + 9.0), 1e-8) << thickness << ' ' << is_coating;
    }
  }
}

/// Returns the flux between plates at 0 and 1 through two layers with a good conductivity, over a
/// poor one.
double flux_through_touching(Region const& left, Region const& right, bool has_contact) {
  Problem problem = plates(2, {8, 3, 1}, 0);
  PerAxis<ScalarFunction> const poor{1e-8, 1e-8, 1e-8}, good{1.0, 1.0, 1.0};
  fill(problem, left, good, 1.0);
  std::vector<MediumLayer> layers{{{}, poor}, {left, good}, {right, good}};
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].number = static_cast<int>(i);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  if (has_contact) problem.medium.contacts.push_back({1, 2, 0.5});
  return flux(problem, 0);
}

/// Layers touch if their bounds differ by rounding, and so does a complement with the slack of
/// points. A narrow gap is none if there is a contact.
TEST_F(Surfaces, LayersThatTouchButForRoundingHaveTheirContact) {
  double const sum = 0.1 + 0.2;
  EXPECT_GT(sum, 0.3);
  Region const left = between(0, -infinity, 0.3), touching = between(0, sum, infinity);
  Region const rest = expression([](double x, double, double) { return x > 0.3 + 1e-10; });
  Region const apart = between(0, 0.3 + 1e-7, infinity);
  for (Region const& right : {touching, rest, apart}) {
    EXPECT_NEAR(flux_through_touching(left, right, true), 1.0 / 1.5, 1e-7);
  }
  EXPECT_NEAR(flux_through_touching(left, touching, false), 1.0, 1e-7);
  EXPECT_NEAR(flux_through_touching(left, rest, false), 1.0, 1e-7);
  EXPECT_NEAR(flux_through_touching(left, apart, false), 1.0 / 11.0, 1e-7);
}

/// A fluid that touches faces exchanges nothing but heat through its film.
TEST_F(Surfaces, FluidAtFacesTakesHeatThroughItsFilmAlone) {
  Problem problem = plates(2, {11, 11, 1}, 0);
  FixedRegion fluid = fixed(between(1, 0.64, infinity), 30.0);
  fluid.film_coefficient = 1e-12;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  set_base(problem);
  auto solver = solved(problem, cycles());
  HeatFlows const flows = flows_of(*solver, problem);
  // The part below conducts from plate to plate.
  EXPECT_NEAR(flows.faces[(Face{0, true})], 0.64, 1e-8);
  EXPECT_NEAR(flows.faces[(Face{0, false})], -0.64, 1e-8);
  EXPECT_LT(std::abs(flows.fixed[0]), 1e-9);
}

TEST_F(Surfaces, ContactsDoNotActOnFixedRegions) {
  // A block that holds 1 fills the material; both sides conduct from its surface.
  Problem problem = box_problem(Equation::laplace, 2, {11, 5, 1}, {neumann, 0.0});
  problem.boundary[{0, false}] = problem.boundary[{0, true}] = {dirichlet, 0.0};
  fill(problem, between(0, 0.38, 0.52), 5.0);
  auto layers = *problem.medium.layers;
  layers[1].number = 1;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  problem.medium.contacts.push_back({0, 1, 0.5});
  problem.medium.fixed.push_back(fixed(between(0, 0.38, 0.52), 1.0));
  auto solver = solved(problem, cycles());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.faces[(Face{0, false})], -1.0 / 0.38, 1e-9);
  EXPECT_NEAR(flows.faces[(Face{0, true})], -1.0 / 0.48, 1e-9);
}

double error_of_pipe(int n) {
  double const radius = 0.2713;
  PerAxis<double> const center{0.5137, 0.4871, 0};
  auto const exact = [=](double x, double y, double) {
    return 1.0 - std::log(radius) + std::log(std::max(distance(center, 2, x, y, 0), radius));
  };
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  FixedRegion pipe = fixed(solid_region(make_ball(2, center, radius)), 0.0);
  pipe.film_coefficient = 1.0 / radius;
  problem.medium.fixed.push_back(pipe);
  set_base(problem);
  auto solver = solved(problem, cycles());
  return -flows_of(*solver, problem).fixed[0] / (2 * pi) - 1.0;
}

TEST_F(Surfaces, PipeTakesHeatThroughItsTrueCircumference) {
  EXPECT_LT(std::abs(error_of_pipe(16)), 1e-2);
  EXPECT_LT(std::abs(error_of_pipe(64)), 2.5e-3);
}

/// A material beyond a plane at x = `at`, with a contact resistance on the plane.
double flux_through_contact(int axis, int n, double at, bool by_expression) {
  Problem problem = plates(2, points_along(axis, n + 1), axis);
  fill(problem,
       by_expression
           ? expression([=](double x, double y, double) { return (axis == 0 ? x : y) >= at; })
           : between(axis, at, infinity),
       10.0);
  auto layers = *problem.medium.layers;
  layers[1].number = 1;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  problem.medium.contacts.push_back({0, 1, 0.5});
  return flux(problem, axis);
}

TEST_F(Surfaces, ContactIsResistanceInSeriesAtAnyOffset) {
  for (int const axis : {0, 1}) {
    for (double const at : {0.34, 0.35, 0.3, 0.5, 0.6}) {
      for (bool const by_expression : {false, true}) {
        double const exact = 1.0 / (at + 0.5 + (1.0 - at) / 10.0);
        EXPECT_NEAR(flux_through_contact(axis, 10, at, by_expression), exact, 1e-10)
            << axis << ' ' << at << ' ' << by_expression;
      }
    }
  }
}

TEST_F(Surfaces, ContactOnTiltedPlaneIsExact) {
  for (double const degrees : {30.0, 45.0}) {
    double const nx = std::cos(degrees * pi / 180), ny = std::sin(degrees * pi / 180);
    auto const exact = [=](double x, double y, double) {
      double const s = nx * x + ny * y, beyond = std::max(s - 0.6137, 0.0);
      return s - beyond + beyond / 10.0 + (s >= 0.6137 ? 0.5 : 0.0);
    };
    Problem problem = box_problem(Equation::laplace, 2, {20, 18, 1}, {dirichlet, steady(exact)});
    fill(problem, expression([=](double x, double y, double) { return nx * x + ny * y >= 0.6137; }),
         10.0);
    auto layers = *problem.medium.layers;
    layers[1].number = 1;
    problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
    problem.medium.contacts.push_back({1, 0, 0.5});
    auto solver = solved(problem, cycles());
    double const error =
        mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact));
    EXPECT_LT(error, 1e-9) << degrees;
  }
}

/// Gives the second layer a number and a contact with the first.
void add_contact(Problem& problem, double resistance) {
  auto layers = *problem.medium.layers;
  layers[1].number = 1;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  problem.medium.contacts.push_back({0, 1, resistance});
}

/// A surface that goes through a plane of points, on grids that are wide across it.
TEST_F(Surfaces, ContactsOnPointsActAllAlongThePlane) {
  for (bool const is_upper : {false, true}) {
    for (int const axis : {0, 1}) {
      Problem problem = plates(2, axis == 0 ? Extent3{11, 33, 1} : Extent3{33, 11, 1}, axis);
      fill(problem, is_upper ? between(axis, 0.3, infinity) : between(axis, -infinity, 0.3), 1.0);
      add_contact(problem, 1.0);
      EXPECT_NEAR(flux(problem, axis), 0.5, 1e-10) << is_upper << axis;
    }
  }
}

/// Heat flows along a contact: it crosses nothing, wherever the plane lies between points or on
/// them.
TEST_F(Surfaces, ContactsAlongTheFlowHaveNoEffect) {
  for (double const at : {0.4, 0.43, 0.45, 0.47}) {
    for (int const kind : {0, 1, 2}) {
      Problem problem = plates(2, {11, 9, 1}, 1);
      if (kind == 0) fill(problem, between(0, at, infinity), 10.0);
      if (kind == 1) fill(problem, between(0, -infinity, at), 10.0);
      if (kind == 2) {
        fill(problem, expression([=](double x, double, double) { return x >= at; }), 10.0);
      }
      add_contact(problem, 1.0);
      double const filled = kind == 1 ? at : 1.0 - at;
      double const tolerance =
          kind == 2 ? 1e-3 : 1e-10;  // the share of an expression is found by sampling
      EXPECT_NEAR(flux(problem, 1), 10.0 * filled + 1.0 - filled, tolerance) << at << ' ' << kind;
      EXPECT_NEAR(contact_areas(problem)[0], 1.0, 1e-12) << at << ' ' << kind;
    }
  }
}

/// A box that its contact nearly insulates loses nothing at its corners.
TEST_F(Surfaces, ContactsEncloseABox) {
  for (double const margin : {0.27, 0.25, 0.2499}) {
    Problem problem = box_problem(Equation::laplace, 2, {33, 33, 1}, {dirichlet, 0.0});
    fill(problem, box_region({margin, margin, -1}, {1 - margin, 1 - margin, 1}), 9.0);
    add_contact(problem, 100.0);
    Region middle = box_region({0.49, 0.49, -1}, {0.51, 0.51, 1});
    middle.at_points = true;
    problem.medium.fixed.push_back(fixed(middle, 1.0));
    auto solver = solved(problem, cycles());
    HeatFlows const flows = flows_of(*solver, problem);
    double const perimeter = 4.0 * (1.0 - 2.0 * margin);
    // The links at the corners resist along the area of a face too much.
    EXPECT_NEAR(flows.fixed[0], perimeter / 100.0, 0.07 * perimeter / 100.0) << margin;
    EXPECT_NEAR(contact_areas(problem)[0], perimeter, 1e-12) << margin;
    for (Face const face : faces(2)) {
      EXPECT_NEAR(flows.faces[face], -0.25 * flows.fixed[0], 1e-9) << margin << name(face);
    }
  }
}

/// Two fixed planes on a ring, between which a material fills one half.
double flux_around_ring(Region const& material, double resistance) {
  Problem problem = box_problem(Equation::laplace, 2, {8, 3, 1}, {neumann, 0.0});
  problem.boundary[{0, false}] = problem.boundary[{0, true}] = {periodic};
  problem.grid.periodic[0] = true;
  problem.grid.spacing[0] = 0.125;
  fill(problem, material, 4.0);
  if (resistance > 0.0) add_contact(problem, resistance);
  for (double const at : {0.25, 0.75}) {
    Region plane = expression([=](double x, double, double) { return std::abs(x - at) < 1e-3; });
    plane.at_points = true;
    problem.medium.fixed.push_back(fixed(plane, at < 0.5 ? 0.0 : 1.0));
  }
  auto solver = solved(problem, cycles());
  return flows_of(*solver, problem).fixed[1];
}

TEST_F(Surfaces, MaterialsEndWherePeriodicAxesClose) {
  for (Region const &half :
       {box_region({0, -1, -1}, {0.5, 2, 1}), box_region({0.5, -1, -1}, {1, 2, 1}),
        expression([](double x, double, double) { return x < 0.5; }),
        expression([](double x, double, double) { return x >= 0.5; })}) {
    EXPECT_NEAR(flux_around_ring(half, 0.0), 6.4, 1e-9);
    EXPECT_NEAR(flux_around_ring(half, 1.0), 2.0 / 1.3125, 1e-9);
  }
}

TEST_F(Surfaces, NormalsOfSolidsAndExpressionsAgree) {
  Region const ball = solid_region(make_ball(3, {0.5, 0.4, 0.3}, 0.25));
  Region const same = expression(ball.contains);
  Grid const grid = make_grid(3, {11, 11, 11}, {0, 0, 0}, {1, 1, 1}, {});
  PerAxis<double> const place{0.5 + 0.15, 0.4 + 0.16, 0.3 + 0.12};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(normal_component(ball, grid, axis, place, 0.02),
                normal_component(same, grid, axis, place, 0.02), 0.02)
        << axis;
  }
  EXPECT_DOUBLE_EQ(normal_component(ball, grid, 0, place, 0.02), 0.6);
}

/// A region that ends at the faces of the grid has one surface within it, on points of the faces,
/// too, and along axes that the grid lacks.
TEST_F(Surfaces, NormalsDoNotCountFacesOfTheGrid) {
  Region const plate = expression([](double x, double y, double z) {
    return x >= 0.43 && y >= 0 && y <= 1 && z >= 0 && z <= 1;
  });
  Grid const cube = make_grid(3, {11, 11, 11}, {0, 0, 0}, {1, 1, 1}, {});
  Grid const line = make_grid(2, {11, 1, 1}, {0, 0, 0}, {1, 1, 0}, {false, true, false});
  for (double const y : {0.0, 0.5, 1.0}) {
    EXPECT_DOUBLE_EQ(normal_component(plate, cube, 0, {0.43, y, 1.0}, 0.1), 1.0) << y;
  }
  EXPECT_DOUBLE_EQ(normal_component(plate, line, 0, {0.43, 0.0, 0.0}, 0.1), 1.0);
}

}  // namespace
}  // namespace isotherm::test
