#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/flat_share.hpp"

// Powers, fluxes and shapes of a case file mean the same on every grid.
namespace isotherm::test {
namespace {

/// A heat spreader of 40 x 40 x 3.5 mm with 20 q + 1 points along its edges; `lines` follow.
Problem spreader(int q, std::string const& lines, std::string const& grid = "",
                 std::string const& equation = "type = \"poisson\"\n") {
  std::string const text = R"toml(title = "spreader"
[constants]
q = )toml" + std::to_string(q) +
                           R"toml(
[grid]
points = ["20*q+1", "20*q+1", 12]
lower  = [-0.020, -0.020, 0.0]
upper  = [ 0.020,  0.020, 0.0035]
)toml" + grid + R"toml(
[equation]
conductivity = 400.0
)toml" + equation + R"toml(
[boundary]
x = { type = "neumann" }
y = { type = "neumann" }
z_lower = { type = "convection", h = 800.0, ambient = 25.0 }
z_upper = { type = "neumann" }
[method]
tolerance = 1e-9
)toml" + lines;
  return parse_case(text, "case.toml", {}).problem;
}

/// Returns Σ V f over the points that can be heated.
double heat(Problem const& problem, double time = 0.0) {
  Grid const& grid = problem.grid;
  double sum = 0.0;
  for (Index3 p; p.z < grid.points.z; ++p.z)
    for (p.y = 0; p.y < grid.points.y; ++p.y)
      for (p.x = 0; p.x < grid.points.x; ++p.x) {
        if (constraint_of(problem, p) != constraint::none) continue;
        sum += value_at(problem.source, grid, p, time) * volume(grid, MediumUnits{}, p);
      }
  return sum;
}

/// Returns what flows in through a face by its flux conditions.
double flux(Problem const& problem, Face face) {
  Grid const& grid = problem.grid;
  double sum = 0.0;
  for (Index3 p; p.z < grid.points.z; ++p.z)
    for (p.y = 0; p.y < grid.points.y; ++p.y)
      for (p.x = 0; p.x < grid.points.x; ++p.x)
        if (lies_on(grid, face, p)) sum += face_flow(problem, MediumUnits{}, face, p, 0.0).flux;
  return sum;
}

TEST(CaseShapes, PowerOfPatchIsPutInOnEveryGrid) {
  std::string const patch =
      "[[boundary.patch]]\nface = \"z_upper\"\ntype = \"flux\"\npower = 50.0\n";
  for (int const q : {2, 3, 4, 5, 6, 8}) {
    for (std::string const region :
         {"box = { lower = [-0.001, -0.001, 0.0035], upper = [0.001, 0.001, 0.0035] }\n",
          "ball = { center = [0.0003, 0.0, 0.0035], radius = 0.0011 }\n",
          "where = \"abs(x) < 0.0031 && abs(y) < 0.0031\"\n"}) {
      EXPECT_NEAR(flux(spreader(q, patch + region), {2, true}), 50.0, 1e-9) << q << region;
    }
  }
}

TEST(CaseShapes, FluxDensityOfPatchCountsItsArea) {
  std::string const patch =
      "[[boundary.patch]]\nface = \"z_upper\"\ntype = \"flux\"\nvalue = 1.25e7\n"
      "box = { lower = [-0.001, -0.001, 0.0035], upper = [0.001, 0.001, 0.0035] }\n";
  for (int const q : {2, 3, 5, 7}) {
    EXPECT_NEAR(flux(spreader(q, patch), {2, true}), 50.0, 1e-6) << q;
  }
}

TEST(CaseShapes, PatchReplacesConvectionBelowItByArea) {
  // A quarter of the lower face is insulated.
  Problem const problem = spreader(3,
                                   "[[boundary.patch]]\nface = \"z_lower\"\ntype = \"neumann\"\n"
                                   "box = { lower = [-1, -1, -1], upper = [0.0, 0.0, 1] }\n");
  double conductance = 0.0;
  for (Index3 p; p.y < problem.grid.points.y; ++p.y)
    for (p.x = 0; p.x < problem.grid.points.x; ++p.x)
      conductance += robin_conductance(problem, MediumUnits{}, {2, false}, p);
  EXPECT_NEAR(conductance, 0.75 * 800.0 * 0.04 * 0.04, 1e-12);
}

TEST(CaseShapes, PowerOfRegionIsPutInOnEveryGrid) {
  for (int const q : {2, 3, 4, 5, 6, 8}) {
    for (std::string const region :
         {"box = { lower = [-0.001, -0.001, 0.003], upper = [0.001, 0.001, 0.0035] }\n",
          "ball = { center = [0.0003, 0.0, 0.002], radius = 0.0011 }\n",
          "cylinder = { axis = \"z\", center = [0.001, 0.002], radius = 1e-4 }\n",
          "where = \"abs(x) < 0.0031 && abs(y) < 0.0031\"\n", "at = [0.0013, -0.007, 0.0011]\n",
          "at = [0.02, 0.02, 0.0035]\n"}) {
      EXPECT_NEAR(heat(spreader(q, "[[source]]\npower = 50.0\n" + region)), 50.0, 1e-9)
          << q << region;
    }
  }
}

/// A power at a place is divided so that its total and its centre are right: in the grid's volumes,
/// on faces, edges and corners, at points, on graded axes.
TEST(CaseShapes, PowerAtAPlaceHasItsTotalAndItsCentre) {
  std::vector<std::string> const axes{
      "", "x = { stretch = \"tanh\", strength = 2.0 }\n",
      "z = { stretch = \"geometric\", strength = 6.0, towards = \"upper\" }\n"};
  std::vector<PerAxis<double>> const places{{0.0013, -0.007, 0.0011}, {0.02, 0.0013, 0.0007},
                                            {0.0031, -0.007, 0.0035}, {-0.02, 0.02, 0.0009},
                                            {0.0017, -0.02, 0.0},     {0.02, 0.02, 0.0035},
                                            {-0.02, -0.02, 0.0},      {0.0, 0.0, 0.0035 / 11.0}};
  for (std::string const& axis : axes) {
    for (PerAxis<double> const& place : places) {
      std::string const at = "at = [" + shortest(place[0]) + ", " + shortest(place[1]) + ", " +
                             shortest(place[2]) + "]\n";
      Problem const problem = spreader(3, "[[source]]\npower = 50.0\n" + at, axis);
      Grid const& grid = problem.grid;
      double total = 0.0;
      PerAxis<double> centre{};
      for (Index3 p; p.z < grid.points.z; ++p.z)
        for (p.y = 0; p.y < grid.points.y; ++p.y)
          for (p.x = 0; p.x < grid.points.x; ++p.x) {
            double const part = value_at(problem.source, grid, p) * volume(grid, MediumUnits{}, p);
            total += part;
            for (int i = 0; i < 3; ++i) centre[i] += part * place_of(grid, p)[i];
          }
      EXPECT_NEAR(total, 50.0, 1e-11) << axis << at;
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(centre[i] / 50.0, place[i], 1e-14) << axis << at << i;
    }
  }
}

TEST(CaseShapes, SourcesAddUp) {
  Problem const problem = spreader(
      3,
      "[[source]]\npower = 3.0\nat = [0, 0, 0.001]\n"
      "[[source]]\ndensity = 1e7\nbox = { lower = [0, 0, 0], upper = [0.0123, 0.0071, 0.0035] }\n",
      "");
  EXPECT_NEAR(heat(problem), 3.0 + 1e7 * 0.0123 * 0.0071 * 0.0035, 1e-9);
}

TEST(CaseShapes, PowerLeavesOutPointsThatCannotBeHeated) {
  // The upper half of the region is insulated.
  Problem const problem =
      spreader(4,
               "[[insulated]]\nwhere = \"z > 0.002 && x > 0\"\n"
               "[[source]]\npower = 50.0\nbox = { lower = [-1, -1, 0.001], upper = [1, 1, 1] }\n");
  EXPECT_NEAR(heat(problem), 50.0, 1e-9);
}

/// Sources and capacities of [equation] count in the part of each volume outside of insulation.
TEST(CaseShapes, InsulationDisplacesItsVolume) {
  std::string const hole =
      "[[insulated]]\nbox = { lower = [-0.0123, -1, 0.0011], upper = [0.0057, 1, 0.0029] }\n";
  double const open = 0.04 * (0.04 * 0.0035 - 0.018 * 0.0018);
  for (int const q : {2, 5}) {
    EXPECT_NEAR(heat(spreader(q, hole, "", "type = \"poisson\"\nsource = 1e8\n")), 1e8 * open, 1e-8)
        << q;
    std::string const diffusion =
        "[grid]\npoints = [" + std::to_string(8 * q) +
        ", 7, 12]\nlower = [-0.02, -0.02, 0]\nupper = [0.02, 0.02, 0.0035]\n[equation]\n"
        "type = \"diffusion\"\ncapacity = 3e6\n[boundary]\nall = { type = \"neumann\" }\n"
        "[method]\nsteps = 1\n";
    Problem const problem = parse_case(diffusion + hole, "case.toml", {}).problem;
    double capacity = 0.0;
    Extent3 const n = problem.grid.points;
    for (Index3 p; p.z < n.z; ++p.z)
      for (p.y = 0; p.y < n.y; ++p.y)
        for (p.x = 0; p.x < n.x; ++p.x) {
          if (constraint_of(problem, p) != constraint::none) continue;
          capacity += value_at(problem.medium.capacity, problem.grid, p) *
                      volume(problem.grid, MediumUnits{}, p);
        }
    EXPECT_NEAR(capacity, 3e6 * open, 1e-9) << q;
  }
}

TEST(CaseShapes, InsulatedSheetsMayLieBetweenPoints) {
  Problem const problem =
      spreader(2, "[[insulated]]\nbox = { lower = [0.0011, -1, -1], upper = [0.0012, 1, 1] }\n");
  ASSERT_EQ(problem.medium.insulated.size(), 1U);
  EXPECT_FALSE(problem.medium.insulated[0].at_points);
  EXPECT_TRUE(spreader(2, "[[insulated]]\nwhere = \"x > 0.003\"\n", "shapes = \"points\"\n")
                  .medium.insulated[0]
                  .at_points);
}

TEST(CaseShapes, ConvectionIsAnotherNameOfRobin) {
  std::string const by_h = R"(boundary.z_lower={type="convection", h=8.0, ambient=2.0})";
  std::string const by_coefficient =
      R"(boundary.z_lower={type="robin", coefficient=8.0, value=2.0})";
  std::string const text =
      "[grid]\npoints = [5, 5, 5]\n[equation]\ntype = \"laplace\"\n"
      "[boundary]\nall = { type = \"dirichlet\" }\n[method]\niterations = 3\n";
  EXPECT_EQ(parse_case(text, "case.toml", {by_h}).fingerprint,
            parse_case(text, "case.toml", {by_coefficient}).fingerprint);
}

TEST(CaseShapes, FluxDoesNotDependOnConductivity) {
  for (std::string const conductivity : {"1.0", "130.0"}) {
    Problem const problem = parse_case(
                                "[grid]\npoints = [5, 5]\n[equation]\ntype = \"diffusion\"\n"
                                "capacity = 3.0\nconductivity = " +
                                    conductivity +
                                    "\n[boundary]\nall = { type = \"dirichlet\" }\n"
                                    "x_upper = { type = \"flux\", value = 7.0 }\n"
                                    "y = { type = \"neumann\" }\n[method]\nsteps = 3\n",
                                "case.toml", {})
                                .problem;
    EXPECT_NEAR(flux(problem, {0, true}), 7.0, 1e-12);
  }
}

TEST(CaseShapes, PowerOfFaceIncludesItsEdges) {
  // The edges of the face have given values: what is put in there leaves at once, but is put in.
  Problem const problem =
      parse_case(
          "[grid]\npoints = [5, 6, 7]\n[equation]\ntype = \"laplace\"\nconductivity = 3\n"
          "[boundary]\nall = { type = \"dirichlet\" }\n"
          "x_upper = { type = \"flux\", power = 7.0 }\n[method]\niterations = 3\n",
          "case.toml", {})
          .problem;
  EXPECT_NEAR(flux(problem, {0, true}), 7.0, 1e-12);
}

TEST(CaseShapes, SourceOverFixedPointsHeatsTheOthers) {
  Problem const problem =
      spreader(4,
               "[[fixed]]\nvalue = 1\nwhere = \"x > 0.0001\"\n"
               "[[source]]\npower = 50.0\nball = { center = [0, 0, 0.001], radius = 0.009 }\n");
  Grid const& grid = problem.grid;
  double sum = 0.0;
  for (Index3 p; p.z < grid.points.z; ++p.z)
    for (p.y = 0; p.y < grid.points.y; ++p.y)
      for (p.x = 0; p.x < grid.points.x; ++p.x)
        sum += value_at(problem.source, grid, p) * volume(grid, MediumUnits{}, p);
  EXPECT_NEAR(sum, 50.0, 1e-9);
}

/// The message about a spreader with these lines.
std::string message(std::string const& lines) {
  try {
    (void)spreader(2, lines);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CaseShapes, BadSourcesAreRefused) {
  auto const says = [](std::string const& lines, std::string const& wanted) {
    EXPECT_NE(message(lines).find(wanted), std::string::npos) << message(lines);
  };
  std::string const box = "box = { lower = [0, 0, 0], upper = [0.01, 0.01, 0.002] }\n";
  says("[[source]]\n" + box, "[source] power is missing");
  says("[[source]]\npower = 1\ndensity = 1\n" + box, "density conflicts with power");
  says("[[source]]\ndensity = 1\nat = [0, 0, 0]\n", "density needs a region");
  says("[[source]]\npower = 1\nat = [0, 0, 0]\n" + box, "box conflicts with at");
  std::string const named = "[[source]]\nname = \"die\"\npower = 1\n" + box;
  EXPECT_NE(message(named + named).find("name is \"die\", the name of another [[source]]"),
            std::string::npos);
  says("[[source]]\npower = 1\nat = [0, 0.3, 0]\n", "at is 0.3 on the y axis");
  says("[[source]]\npower = \"1 + x\"\n" + box, "power depends on the position");
  says("[[source]]\npower = 1\nbox = { lower = [1, 1, 1], upper = [2, 2, 2] }\n",
       "covers no part of the grid");
  says(
      "[[source]]\npower = 1\nball = { center = [0, 0, 0], radius = 0.0001 }\n"
      "[[fixed]]\nvalue = 1\nwhere = \"abs(x) < 1e-3\"\n",
      "cannot be heated");
  std::string const patch =
      "[[boundary.patch]]\nface = \"z_upper\"\nbox = { lower = [0, 0, 0], upper = [1, 1, 1] }\n";
  says(patch + "type = \"flux\"\n", "value is missing");
  says(patch + "type = \"flux\"\nvalue = 1\npower = 2\n", "power conflicts with value");
  says(patch + "type = \"neumann\"\npower = 2\n", "power applies only to type = \"flux\"");
  says(patch + "type = \"convection\"\nh = 2\n", "ambient is missing");
  says(patch + "type = \"convection\"\nh = 2\nvalue = 3\n", "for convection write ambient");
  says(patch + "type = \"robin\"\nh = 2\nvalue = 3\n", "for robin write coefficient");
}

std::string const die_and_lid = R"toml(
[[material]]
name = "die"
box = { lower = [-0.01, -0.01, 0.0], upper = [0.01, 0.01, 0.002] }
conductivity = 130.0
[[material]]
name = "lid"
box = { lower = [-0.01, -0.01, 0.002], upper = [0.01, 0.01, 0.0035] }
conductivity = 400.0
[[insulated]]
name = "channel"
cylinder = { axis = "y", center = [0.0, 0.001], radius = 0.0005 }
)toml";

TEST(CaseShapes, ContactsJoinMaterialsByName) {
  Medium const medium = spreader(2, die_and_lid + R"toml([[contact]]
between = ["lid", "die"]
resistance = 2e-5
[[contact]]
between = ["equation", "die"]
conductance = 1e4
)toml")
                            .medium;
  ASSERT_EQ(medium.contacts.size(), 2U);
  EXPECT_EQ(medium.contacts[0].first, 2);
  EXPECT_EQ(medium.contacts[0].second, 1);
  EXPECT_DOUBLE_EQ(medium.contacts[0].resistance, 2e-5);
  EXPECT_EQ(medium.contacts[1].first, 0);
  EXPECT_DOUBLE_EQ(medium.contacts[1].resistance, 1e-4);
}

TEST(CaseShapes, ConvectionMakesAnInsulatedRegionAFluid) {
  Medium const medium = spreader(10, die_and_lid + R"toml([[convection]]
of = "channel"
h = 500.0
ambient = 15.0
)toml")
                            .medium;
  EXPECT_TRUE(medium.insulated.empty());
  ASSERT_EQ(medium.fixed.size(), 1U);
  EXPECT_TRUE(medium.fixed[0].is_excluded);
  EXPECT_EQ(medium.fixed[0].film_coefficient, 500.0);
  EXPECT_EQ(medium.fixed[0].name, "channel");
}

TEST(CaseShapes, BadContactsAndConvectionsAreRefused) {
  auto const expect_refusal = [](std::string const& lines, std::string const& wanted) {
    std::string const found = message(die_and_lid + lines);
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect_refusal("[[contact]]\nbetween = [\"die\", \"lit\"]\nresistance = 1\n",
                 "contains \"lit\", which is the name of no [[material]]");
  expect_refusal("[[contact]]\nbetween = [\"die\", \"die\"]\nresistance = 1\n",
                 "two different materials");
  expect_refusal("[[contact]]\nbetween = [\"die\", \"lid\"]\n", "resistance is missing");
  expect_refusal("[[contact]]\nbetween = [\"die\", \"lid\"]\nresistance = 1\nconductance = 1\n",
                 "resistance conflicts with conductance");
  expect_refusal("[[contact]]\nbetween = [\"die\", \"lid\"]\nresistance = -1\n", "resistance");
  expect_refusal("[[convection]]\nof = \"pipe\"\nh = 1\nambient = 1\n",
                 "the name of no [[insulated]]");
  expect_refusal("[[convection]]\nof = \"channel\"\nh = 1\n", "ambient is missing");
  expect_refusal("[[convection]]\nof = \"channel\"\nambient = 1\n", "h is missing");
  expect_refusal("[[fixed]]\nvalue = 1\nh = 0\nwhere = \"x > 0\"\n", "h");
}

/// Interpolation finds where an expression changes as exactly as bisection does: at kinks between
/// several conditions, of functions that vary widely, and at jumps.
TEST(CaseShapes, SurfacesOfExpressionsAreFoundToRounding) {
  struct Surface {
    std::string where;
    double inside, outside;  ///< coordinates along x, at y = 0.001 and z = 0.002
    double at;
  };
  std::vector<Surface> const surfaces{
      {"x < 0.0123", 0.012, 0.013, 0.0123},
      {"x <= 0.0123 && y > 0", 0.012, 0.013, 0.0123},
      {"x^2 + y^2 + (z - 0.002)^2 < 0.005^2", 0.0045, 0.0055, std::sqrt(24e-6)},
      {"hypot(x, y) < 0.005 && x < 0.0047", 0.0045, 0.0055, 0.0047},
      {"x > 0.0123 || x < 0.0047", 0.0045, 0.0055, 0.0047},
      {"(x < 0.0047) + (x > 0.0123)", 0.0045, 0.0055, 0.0047},
      {"exp(4000*x) < 1e9", 0.004, 0.006, std::log(1e9) / 4000},
      {"1e30*(x - 0.0051)^5 < 1e-30", 0.004, 0.006, 0.0051},
      {"sign(x - 0.0051) < 0.5 && y > 0", 0.004, 0.006, 0.0051},
      {"1/(0.0051 - x) > 0", 0.004, 0.006, 0.0051},
      {"floor(1000*x) == 4", 0.0041, 0.0053, 0.005},
      {"x", 0.004, 0.0, 0.0}};
  for (Surface const& one : surfaces) {
    Medium const medium =
        spreader(4, "[[material]]\nconductivity = 2\nwhere = \"" + one.where + "\"\n").medium;
    ASSERT_EQ(medium.materials.size(), 1U) << one.where;
    double const found =
        crossing_of(medium.materials[0], 0, {0.0, 0.001, 0.002}, one.inside, one.outside);
    // The fifth power hardly differs from 0 near its zero, so its place is known less exactly.
    double const tolerance = one.where.find("^5") != std::string::npos ? 2e-12 : 2e-15;
    EXPECT_NEAR(found, one.at, tolerance) << one.where;
  }
}

/// Blocks replace evaluations of an expression, and do not change what is inside.
TEST(CaseShapes, BlocksAgreeWithTheirExpression) {
  Problem const problem = spreader(
      4,
      "[[material]]\nconductivity = 2\nwhere = \"hypot(x - 1e-3, y) < 7e-3 && z > 0.0011\"\n"
      "[[material]]\nconductivity = 2\nwhere = \"sin(400*x) > 1.5 - 300*z || erf(900*y) > 0.9\"\n");
  Grid const& grid = problem.grid;
  auto const is_inside = [](int number, double x, double y, double z) {
    if (number == 0) return std::hypot(x - 1e-3, y) < 7e-3 && z > 0.0011;
    return std::sin(400 * x) > 1.5 - 300 * z || std::erf(900 * y) > 0.9;
  };
  for (int number = 0; number < 2; ++number) {
    Region const& region = problem.medium.materials[static_cast<std::size_t>(number)];
    ASSERT_NE(region.blocks, nullptr);
    for (Index3 p; p.z < grid.points.z; ++p.z)
      for (p.y = 0; p.y < grid.points.y; ++p.y)
        for (p.x = 0; p.x < grid.points.x; ++p.x) {
          auto const [x, y, z] = coordinates(grid, p);
          ASSERT_EQ(region.contains(x, y, z), is_inside(number, x, y, z)) << x << ' ' << y;
        }
  }
}

/// Returns the problem on a unit cube of 11³ points with one material.
Problem with_material(std::string const& region) {
  std::string text = R"toml([grid]
points = [11, 11, 11]
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = 0.0 }
[method]
tolerance = 1e-6
[[material]]
conductivity = 2.0
)toml";
  text += region;
  return parse_case(text, "case.toml", {}).problem;
}

/// Parts between the places at which an expression is evaluated have their length, area and volume.
TEST(CaseShapes, ThinPartsOfExpressionsAreFound) {
  struct Part {
    std::string region;
    Cell cell;
    double size, tolerance;
  };
  Interval const side{0.45, 0.55}, at{0.5, 0.5}, off{0.53, 0.53};
  double const ring = std::numbers::pi / 4 * 0.001 * 0.1;
  std::vector<Part> const parts{
      {"where = \"x > 0.521 && x < 0.522\"", {{side, at, at}}, 0.001, 1e-12},
      {"where = \"x > 0.521 && x < 0.522\"", {{side, side, at}}, 0.001 * 0.1, 1e-12},
      {"where = \"x > 0.521 && x < 0.522\"", {{side, side, side}}, 0.001 * 0.01, 1e-13},
      {"where = \"abs(x - 0.521) < 1e-4 && abs(y - 0.527) < 1e-4\"",
       {{side, side, off}},
       4e-8,
       1e-14},
      {"where = \"x < 0.521 || x > 0.522\"", {{side, side, at}}, 0.099 * 0.1, 1e-12},
      {"where = \"x < 0.521 || x > 0.522 && x < 0.523 || x > 0.524\"",
       {{side, at, at}},
       0.098,
       1e-12},
      {"box = { lower = [0.521, -1, -1], upper = [0.522, 2, 2] }\noutside = true",
       {{side, side, at}},
       0.0099,
       1e-10},
      // A strip along the diagonal through the corners, and one that cuts two sides.
      {"where = \"abs(y - x) < 0.001\"", {{side, side, at}}, 0.2e-3 - 1e-6, 2e-6},
      {"where = \"abs(y - x - 0.013) < 0.001\"", {{side, side, at}}, 2e-3 * 0.087, 2e-6},
      {"where = \"abs(hypot(x - 0.45, y - 0.45) - 0.05) < 0.0005\"",
       {{side, side, at}},
       ring,
       0.01 * ring}};
  for (Part const& part : parts) {
    Problem const problem = with_material(part.region);
    Region const& region = problem.medium.materials.at(0);
    double const size = volume_of(part.cell) * covered_share(region, part.cell, {0.5, 0.5, 0.5});
    EXPECT_NEAR(size, part.size, part.tolerance) << part.region;
  }
}

TEST(CaseShapes, OutsideIsTheComplement) {
  std::string const ball = "ball = { center = [0.001, 0.0, 0.002], radius = 0.0031 }\n";
  double const inside = heat(spreader(4, "[[source]]\ndensity = 1e7\n" + ball));
  double const outside = heat(spreader(4, "[[source]]\ndensity = 1e7\noutside = true\n" + ball));
  EXPECT_NEAR(inside + outside, 1e7 * 0.04 * 0.04 * 0.0035, 0.01);
  EXPECT_GT(inside, 0.5);
  EXPECT_NE(message(die_and_lid + "[[fixed]]\nvalue = 1\nwhere = \"x > 0\"\noutside = true\n")
                .find("outside applies only to shapes"),
            std::string::npos);
}

/// Returns the area of the film on an insulated region in a grid of unit length.
double area_of_film(std::string const& grid, std::string const& where) {
  Problem const problem =
      parse_case("[grid]\n" + grid + "[equation]\ntype = \"poisson\"\nsource = 1\n" +
                     "[[insulated]]\nname = \"fluid\"\nwhere = \"" + where + "\"\n" +
                     "[[convection]]\nof = \"fluid\"\nh = 2\nambient = 1\n" +
                     "[boundary]\nall = { type = \"neumann\" }\n",
                 "case.toml", {})
          .problem;
  return film_area(problem, 0, problem.grid.box());
}

/// An expression that ends at a face has no surface there, whether or not it contains the face.
TEST(CaseShapes, FilmsOfExpressionsThatEndAtFacesHaveTheirArea) {
  for (std::string const grid : {"points = [11, 11]\n", "points = [12, 12]\n"}) {
    for (std::string const where :
         {"x < 0.33 && y < 0.33", "0 < x && x < 0.33 && 0 < y && y < 0.33",
          "max(abs(x - 0.165), abs(y - 0.165)) < 0.165"}) {
      EXPECT_NEAR(area_of_film(grid, where), 0.66, 1e-9) << grid << where;
    }
    EXPECT_NEAR(area_of_film(grid, "0.7 < x && x < 1"), 1.0, 1e-9) << grid;
  }
  EXPECT_NEAR(area_of_film("points = [12, 12]\n", "0.3 < x && x < 0.7 && 0 < y && y < 0.33"), 1.06,
              1e-9);
  std::string const space = "points = [9, 9, 9]\n";
  EXPECT_NEAR(area_of_film(space, "0 < x && x < 0.5 && 0 < y && y < 0.5 && 0 < z && z < 0.5"), 0.75,
              1e-9);
  EXPECT_NEAR(
      area_of_film(space, "max(max(abs(x - 0.5), abs(y - 0.5)) - 0.5, abs(z - 0.95) - 0.05) < 0"),
      1.0, 1e-9);
}

/// A ring of rectangular section on the bottom of a cylinder: 2π (r + R) H + π (R² − r²).
TEST(CaseShapes, FilmsOfExpressionsInRadialGridsHaveTheirAreaAtEdges) {
  for (std::string const points : {"17", "18", "34"}) {
    EXPECT_NEAR(
        area_of_film("geometry = \"axisymmetric\"\npoints = [" + points + ", " + points + "]\n",
                     "max(abs(x - 0.25), abs(y)) < 0.08"),
        0.16 * std::numbers::pi, 1e-9)
        << points;
  }
}

/// Two fluids along a fin and one at its tip meet in the volume at the tip. Each has the area of
/// its own surface there.
TEST(CaseShapes, FluidsThatMeetAtATipHaveTheirOwnAreas) {
  std::string text = "[grid]\npoints = [11, 11]\n[equation]\ntype = \"poisson\"\nsource = 1\n";
  for (std::string const region :
       {"box = { lower = [-1, 0.53], upper = [2, 2] }\n",
        "box = { lower = [-1, -1], upper = [2, 0.47] }\n", "where = \"x > 0.62\"\n"}) {
    std::string const name = "f" + std::to_string(text.size());
    text += "[[insulated]]\nname = \"" + name + "\"\n" + region + "[[convection]]\nof = \"" + name +
            "\"\nh = 2\nambient = 1\n";
  }
  text += "[boundary]\nall = { type = \"neumann\" }\n";
  Problem const problem = parse_case(text, "case.toml", {}).problem;
  EXPECT_NEAR(film_area(problem, 0, problem.grid.box()), 0.62, 1e-9);
  EXPECT_NEAR(film_area(problem, 1, problem.grid.box()), 0.62, 1e-9);
  EXPECT_NEAR(film_area(problem, 2, problem.grid.box()), 0.06, 1e-9);
}

}  // namespace
}  // namespace isotherm::test
