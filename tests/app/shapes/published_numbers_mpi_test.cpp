#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// The numbers that documents state of two case files: the capacitance of a plate capacitor with a
// dielectric slab, and the power and temperature of a heat spreader.

namespace isotherm::test {
namespace {

using PublishedNumbers = BackendTest;

Case case_of(std::string const& text) { return parse_case(text, "case.toml", {}); }

/// Plates of 10 mm at a distance of 1 mm with a slab of 0.4 mm and the permittivity 4 between them.
std::string capacitor(std::string const& grid, std::string const& region) {
  return R"toml(
[grid]
)toml" + grid +
         R"toml(
[equation]
type = "laplace"
conductivity = 8.8541878128e-12
[[material]]
)toml" + region +
         R"toml(
conductivity = "4*8.8541878128e-12"
[boundary]
x = { type = "neumann" }
y_lower = { type = "dirichlet", value = 0.0 }
y_upper = { type = "dirichlet", value = 1.0 }
[method]
name = "multigrid"
tolerance = 1e-13
)toml";
}

std::string intervals(int n) {
  return "points = [11, " + std::to_string(n + 1) + "]\nupper = [0.010, 0.001]\n";
}

std::string const slab = "box = { lower = [0.0, 0.0003], upper = [0.010, 0.0007] }\n";
std::string const slab_by_expression = "where = \"y >= 0.0003 && y <= 0.0007\"\n";

/// Expects the capacitance 10 ε₀ / (0.6 + 0.4/4) per metre of depth, 1.264884e-10 F/m.
void expect_capacitance(std::string const& text) {
  constexpr double exact = 10.0 * 8.8541878128e-12 / 0.7;
  Case const chosen = case_of(text);
  auto const solver = solved(chosen.problem, chosen.method);
  double const flux = flows_of(*solver, chosen.problem).faces[(Face{1, true})];
  EXPECT_NEAR(flux / exact, 1.0, 1e-12) << text;
  EXPECT_NEAR(flux, 1.264884e-10, 5e-17) << text;
}

TEST_F(PublishedNumbers, CapacitanceOfASlabIsExactOnAnyGrid) {
  for (int const n : {10, 20, 50, 51, 137}) {
    expect_capacitance(capacitor(intervals(n), slab));
    expect_capacitance(capacitor(intervals(n), slab_by_expression));
  }
}

/// The kinds of axes: a spacing, segments, a list of coordinates, a stretched axis.
TEST_F(PublishedNumbers, CapacitanceOfASlabIsExactOnAnyAxis) {
  std::vector<std::string> const grids{
      "spacing = [0.001, 0.00002]\nupper = [0.010, 0.001]\n",
      "x = { coordinates = [0.0, 0.001, 0.004, 0.010] }\n"
      "y = { coordinates = [0.0, 0.00017, 0.00031, 0.0005, 0.00052, 0.00081, 0.001] }\n",
      "x = { coordinates = [0.0, 0.005, 0.010] }\n"
      "y = { segments = [{ to = 0.0002, points = 5 }, { to = 0.001, points = 9, ratio = 3 }] }\n",
      "points = [5, 23]\nupper = [0.010, 0.001]\ny = { stretch = \"tanh\", strength = 2.0 }\n"};
  for (std::string const& grid : grids) {
    expect_capacitance(capacitor(grid, slab));
    expect_capacitance(capacitor(grid, slab_by_expression));
  }
}

/// A die of 10 mm on a plate of 40 mm, 0.5 and 3 mm thick, with 50 W on a patch of 2 mm.
/// @param q  there are 20 q intervals along the plate, or a half of that in a quarter of it
std::string spreader(int q, int points_z, bool quarter) {
  std::string const first = quarter ? "0.0" : "-0.020";
  std::string const points = std::to_string((quarter ? 10 : 20) * q + 1);
  return "[grid]\npoints = [" + points + ", " + points + ", " + std::to_string(points_z) +
         "]\nlower = [" + first + ", " + first + R"toml(, 0.0]
upper = [0.020, 0.020, 0.0035]
[equation]
type = "poisson"
conductivity = 400.0
[[material]]
where = "z > 0.003"
conductivity = 130.0
[[insulated]]
where = "z > 0.003 && max(abs(x),abs(y)) > 0.005"
[boundary]
x = { type = "neumann" }
y = { type = "neumann" }
z_lower = { type = "robin", coefficient = 800.0, value = 25.0 }
z_upper = { type = "neumann" }
[[boundary.patch]]
face = "z_upper"
box = { lower = [-0.001, -0.001, 0.0035], upper = [0.001, 0.001, 0.0035] }
type = "flux"
power = )toml" +
         (quarter ? "12.5" : "50.0") + R"toml(
[initial]
value = 25.0
[method]
name = "multigrid"
tolerance = 1e-11
)toml";
}

/// Solves the case, expects that the power goes in and comes out, and returns the hottest
/// temperature.
double hottest_of(int q, int points_z, bool quarter) {
  Case const chosen = case_of(spreader(q, points_z, quarter));
  auto const solver = solved(chosen.problem, chosen.method);
  EXPECT_TRUE(solver->converged()) << q;
  HeatFlows const flows = flows_of(*solver, chosen.problem);
  double const power = quarter ? 12.5 : 50.0;
  EXPECT_NEAR(flows.faces[(Face{2, true})], power, 1e-9) << q;
  EXPECT_NEAR(flows.faces[(Face{2, false})], -power, 1e-6) << q;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return ranks.max(std::ranges::max(field_of<double>(*solver)));
}

TEST_F(PublishedNumbers, SpreaderReceivesItsPowerOnAnyGrid) {
  if (is_sanitized) GTEST_SKIP() << "several grids, for the numbers only";
  for (int const q : {2, 3}) EXPECT_NEAR(hottest_of(q, 12, false), 136.25, 10.0) << q;
  for (int const q : {4, 5, 6, 7, 8}) EXPECT_NEAR(hottest_of(q, 12, true), 136.25, 2.5) << q;
}

/// Refined along all axes, the temperature approaches 136.25 °C.
TEST_F(PublishedNumbers, SpreaderConvergesToItsTemperature) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  double const middle = hottest_of(4, 12, true), fine = hottest_of(8, 23, true);
  EXPECT_NEAR(fine + (fine - middle) / 3.0, 136.25, 0.1);
}

}  // namespace
}  // namespace isotherm::test
