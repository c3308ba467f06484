#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// Steady problems with several conductivities that depend on the solution: materials in series,
// contact resistances, a disc, and anisotropic media. Newton's matrix is not symmetric there.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class NonlinearMaterials : public BackendTest {};

/// Two conductivities, inside and outside of a region with a known surface.
struct Pair {
  double (*outside)(double u);
  double (*inside)(double u);
  Solid solid;
};

bool lies_in(Solid const& solid, PerAxis<double> const& place) {
  double distance = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    if (!solid.between[axis].contains(place[axis])) return false;
    if (solid.round[axis]) distance += std::pow(place[axis] - solid.center[axis], 2);
  }
  return distance <= solid.radius * solid.radius || solid.is_box();
}

/// Gives a problem two materials.
void set_materials(Problem& problem, Pair const& pair) {
  Region region;
  region.solid = pair.solid;
  region.contains = [solid = pair.solid](double x, double y, double z) {
    return lies_in(solid, {x, y, z});
  };
  region.text = "a test's region";
  ScalarFunction both = of_field(pair.outside);
  both.evaluate = [pair, region](double x, double y, double z, double u) {
    return region.contains(x, y, z) ? pair.inside(u) : pair.outside(u);
  };
  make_isotropic(problem, both);
  std::vector<MediumLayer> layers(2);
  layers[0].values = {of_field(pair.outside), of_field(pair.outside), of_field(pair.outside)};
  layers[1].where = region;
  layers[1].values = {of_field(pair.inside), of_field(pair.inside), of_field(pair.inside)};
  layers[1].number = 1;
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(std::move(layers));
}

/// A box with insulated faces but for x: a heat flux at the lower face, a value at the upper one.
Problem heated_box(int dimension, Extent3 points, double flux, double value,
                   PerAxis<double> upper = {1, 1, 1}) {
  Problem problem = box_problem(Equation::laplace, dimension, points, {neumann, 0.0}, upper);
  problem.boundary[{0, false}] = {neumann, flux};
  problem.boundary[{0, false}].is_flux = true;
  problem.boundary[{0, true}] = {dirichlet, value};
  return problem;
}

MethodSettings newton() {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 40;
  method.tolerance = 1e-9;
  method.relative_to = RelativeTo::field;
  return method;
}

/// Returns the mean of a conductivity by Simpson's rule.
double mean(double (*conductivity)(double u), double a, double b) {
  return (conductivity(a) + 4.0 * conductivity(0.5 * (a + b)) + conductivity(b)) / 6.0;
}

/// The discrete solution for a flux along x through a wall of two materials: from the last point to
/// the first, the value of each is the root of its link's flow.
struct Wall {
  double (*first)(double u);   ///< the conductivity for x < border
  double (*second)(double u);  ///< and beyond
  double length, border, resistance, flux, last;

  [[nodiscard]] double resistance_of(double from, double to, double a, double b) const {
    double const in_first = std::clamp(border - from, 0.0, to - from);
    double const in_second = to - from - in_first;
    double const contact = in_first > 0.0 && in_second > 0.0 ? resistance : 0.0;
    return in_first / mean(first, a, b) + in_second / mean(second, a, b) + contact;
  }
  [[nodiscard]] std::vector<double> values(std::int64_t points) const {
    double const h = length / static_cast<double>(points - 1);
    std::vector<double> u(static_cast<std::size_t>(points), last);
    for (std::int64_t i = points - 2; i >= 0; --i) {
      double const from = static_cast<double>(i) * h, after = u[static_cast<std::size_t>(i + 1)];
      double low = after, high = after + 1e4;
      for (int n = 0; n < 200; ++n) {
        double const v = 0.5 * (low + high);
        bool const flows_more = (v - after) / resistance_of(from, from + h, v, after) > flux;
        (flows_more ? high : low) = v;
      }
      u[static_cast<std::size_t>(i)] = 0.5 * (low + high);
    }
    return u;
  }
};

/// Solves the wall, and checks all values, the balance and the number of iterations.
void check_wall(Wall const& wall, int dimension, Extent3 points) {
  Problem problem = heated_box(dimension, points, wall.flux, wall.last, {wall.length, 0.5, 0.5});
  set_materials(problem,
                {wall.second, wall.first, make_box({-1.0, -9.0, -9.0}, {wall.border, 9.0, 9.0})});
  if (wall.resistance > 0.0) problem.medium.contacts = {{0, 1, wall.resistance}};
  auto const solver = solved(problem, newton());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 15);
  std::vector<double> const expected = wall.values(points.x);
  double const h = wall.length / static_cast<double>(points.x - 1);
  double const error = mpi::Communicator(MPI_COMM_WORLD)
                           .max(largest_error<double>(*solver, [&](double x, double, double) {
                             return expected[static_cast<std::size_t>(std::llround(x / h))];
                           }));
  EXPECT_LE(error, 1e-7 * (expected.front() - expected.back()));
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.balance, 0.0, 1e-7 * flows.in);
}

double steel(double u) { return 15.0 + 0.015 * u; }
double air(double u) { return 0.03 + 1e-4 * u; }
double rising(double u) { return 1.0 + u; }

TEST_F(NonlinearMaterials, SteelNextToAirMatchesTheDiscreteSolution) {
  Wall const wall{steel, air, 0.1, 0.0512, 0.0, 50.0, 25.0};
  check_wall(wall, 2, {41, 5, 1});
  check_wall(wall, 3, {41, 4, 3});
  // Kirchhoff's transform, to the accuracy of the link that the surface cuts.
  double const at_surface = -300.0 + std::sqrt(325.0 * 325.0 + 2e4 * 50.0 * 0.0488);
  double const at_end =
      -1000.0 + std::sqrt(std::pow(1000.0 + at_surface, 2) + 50.0 * 0.0512 / 0.0075);
  EXPECT_NEAR(wall.values(41).front(), at_end, 1e-2 * (at_end - 25.0));
}

TEST_F(NonlinearMaterials, ContactResistanceMatchesTheDiscreteSolution) {
  for (double const flux : {10.0, 100.0}) {
    check_wall({rising, rising, 1.0, 0.5, 0.05, flux, 0.0}, 2, {22, 4, 1});
  }
}

/// A disc of κ = 1 + u: the same field from any initial values.
TEST_F(NonlinearMaterials, DiscConvergesFromAnyInitialValues) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  Problem problem = heated_box(2, {33, 33, 1}, 1.0, 0.0);
  set_materials(problem, {[](double) { return 1.0; }, rising, make_ball(2, {0.5, 0.5, 0.0}, 0.23)});
  std::vector<double> first;
  for (double const start : {0.0, 1.0, 20.0}) {
    problem.initial.value = start;
    auto const solver = solved(problem, newton());
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 15);
    HeatFlows const flows = flows_of(*solver, problem);
    double const through = flows.faces[{0, true}];
    EXPECT_NEAR(through, -1.0, 1e-7);
    std::vector<double> const field = field_of<double>(*solver);
    if (first.empty()) first = field;
    for (std::size_t i = 0; i < field.size(); ++i) EXPECT_NEAR(field[i], first[i], 1e-8);
  }
}

/// Different functions of u along the axes, and flow along y alone: Θ = 250 exp(0.02 u).
TEST_F(NonlinearMaterials, AnisotropicMediumMatchesKirchhoffsTransform) {
  Problem problem = box_problem(Equation::laplace, 2, {33, 33, 1}, {neumann, 0.0});
  problem.boundary[{1, false}] = {neumann, 200.0};
  problem.boundary[{1, false}].is_flux = true;
  problem.boundary[{1, true}] = {dirichlet, 0.0};
  problem.medium.conductivity = {of_field(rising),
                                 of_field([](double u) { return 5.0 * std::exp(0.02 * u); }),
                                 of_field(rising)};
  problem.medium.isotropic = false;
  auto const solver = solved(problem, newton());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 15);
  double const error = mpi::Communicator(MPI_COMM_WORLD)
                           .max(largest_error<double>(*solver, [](double, double y, double) {
                             return 50.0 * std::log(1.0 + 200.0 * (1.0 - y) / 250.0);
                           }));
  EXPECT_LE(error, 1e-7);
}

/// A part of a face heats an anisotropic medium: flow along both axes.
TEST_F(NonlinearMaterials, AnisotropicMediumConvergesAsFastAsNewtonsMethod) {
  Problem problem = heated_box(2, {33, 33, 1}, 1.0, 0.0);
  problem.source =
      steady([](double x, double y, double) { return 500.0 * std::exp(-30.0 * (x * x + y * y)); });
  problem.equation = Equation::poisson;
  problem.medium.conductivity = {of_field(rising),
                                 of_field([](double u) { return 5.0 * std::exp(0.02 * u); }),
                                 of_field(rising)};
  problem.medium.isotropic = false;
  auto const solver = solved(problem, newton());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 15);
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.balance, 0.0, 1e-7 * flows.out);
}

}  // namespace
}  // namespace isotherm::test
