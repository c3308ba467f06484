#include <gtest/gtest.h>

#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/run/report/region_report.hpp"
#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "tests/support/shapes.hpp"

// Shapes that are thinner than a spacing, against exact resistances, areas and heat contents.

namespace isotherm::test {
namespace {

using ThinShapes = BackendTest;

Case case_of(std::string const& text) { return parse_case(text, "case.toml", {}); }

/// Plates at 0 and 1 across x or y in the unit square, with one table between them.
std::string between_plates(std::string const& table, std::string const& across) {
  std::string const along = across == "x" ? "y" : "x";
  return "[grid]\npoints = [11, 11]\nupper = [1.0, 1.0]\n[equation]\ntype = \"laplace\"\n" + table +
         "[boundary]\n" + along + " = { type = \"neumann\" }\n" + across +
         "_lower = { type = \"dirichlet\", value = 0.0 }\n" + across +
         "_upper = { type = \"dirichlet\", value = 1.0 }\n" +
         "[method]\nname = \"multigrid\"\ntolerance = 1e-12\n";
}

double flux_across(std::string const& text, int axis) {
  Case const chosen = case_of(text);
  auto const solver = solved(chosen.problem, chosen.method);
  return flows_of(*solver, chosen.problem).faces[(Face{axis, true})];
}

/// A plate of a hundredth around a row of points, and one at the face of the grid. As expressions
/// and as complements they act in series across and in parallel along, as layers do.
TEST_F(ThinShapes, PlatesByExpressionsActInSeriesAndInParallel) {
  std::vector<std::string> const regions{
      "where = \"abs(x - 0.5) < 0.005\"\n", "where = \"x > 0.497 && x < 0.507\"\n",
      "where = \"x < 0.01\"\n",
      "box = { lower = [0.01, -1.0], upper = [2.0, 2.0] }\noutside = true\n"};
  for (std::string const& region : regions) {
    std::string const poor = "[[material]]\n" + region + "conductivity = 0.01\n";
    std::string const good = "[[material]]\n" + region + "conductivity = 1000.0\n";
    EXPECT_NEAR(flux_across(between_plates(poor, "x"), 0), 1.0 / 1.99, 1e-8) << region;
    EXPECT_NEAR(flux_across(between_plates(good, "y"), 1), 10.99, 1e-7) << region;
  }
}

/// Returns a pin of length 1 along x, with a film on its surface, between a hot face and an
/// insulated one. Everything outside of the shape is a fluid at 0.
std::string pin(std::string const& shape) {
  return "[grid]\npoints = [11, 5, 5]\nupper = [1.0, 1.0, 1.0]\n[equation]\ntype = \"laplace\"\n"
         "[[insulated]]\nname = \"air\"\noutside = true\n" +
         shape +
         "[[convection]]\nof = \"air\"\nh = 0.02\nambient = 0.0\n"
         "[boundary]\ny = { type = \"neumann\" }\nz = { type = \"neumann\" }\n"
         "x_lower = { type = \"dirichlet\", value = 1.0 }\nx_upper = { type = \"neumann\" }\n"
         "[method]\nname = \"multigrid\"\ntolerance = 1e-12\n";
}

/// Expects the area of a pin's film, and the heat of a fin with a given section.
void expect_fin(std::string const& shape, double perimeter, double section, double error) {
  Case const chosen = case_of(pin(shape));
  EXPECT_NEAR(film_area(chosen.problem, 0, chosen.problem.grid.box()) / perimeter, 1.0, error)
      << shape;
  auto const solver = solved(chosen.problem, chosen.method);
  double const m = std::sqrt(0.02 * perimeter / section);
  double const heat = section * m * std::tanh(m);
  EXPECT_NEAR(-flows_of(*solver, chosen.problem).fixed[0] / heat, 1.0, error + 4e-3) << shape;
}

/// The pins are thinner than a spacing along two axes. They lie around a row of points, next to it,
/// across the faces of two volumes, and where four volumes meet.
TEST_F(ThinShapes, SquarePinsHaveTheirWholeSurface) {
  for (auto const& [y, z] : {std::pair{0.5, 0.5}, std::pair{0.375, 0.5}, std::pair{0.38, 0.62}}) {
    auto const bounds = [&, y = y, z = z](double x, double side) {
      return "[" + std::to_string(x) + ", " + std::to_string(y + side) + ", " +
             std::to_string(z + side) + "]";
    };
    expect_fin("box = { lower = " + bounds(-1, -0.03) + ", upper = " + bounds(2, 0.03) + " }\n",
               0.24, 0.0036, 1e-6);
  }
}

TEST_F(ThinShapes, RoundPinsHaveTheirWholeSurface) {
  double const radius = 0.04, pi = std::numbers::pi;
  for (char const* const center : {"[0.5, 0.5]", "[0.55, 0.57]"}) {
    expect_fin(std::string("cylinder = { axis = \"x\", radius = 0.04, center = ") + center + " }\n",
               2 * pi * radius, pi * radius * radius, 4e-3);
  }
}

/// Pins that cross several volumes, each of which has a part of the round surface.
TEST_F(ThinShapes, ThickRoundPinsHaveTheirWholeSurface) {
  for (double const radius : {0.175, 0.3}) {
    for (char const* const center : {"[0.5, 0.5]", "[0.55, 0.57]"}) {
      Case const chosen =
          case_of(pin("cylinder = { axis = \"x\", radius = " + std::to_string(radius) +
                      ", center = " + center + " }\n"));
      double const area = film_area(chosen.problem, 0, chosen.problem.grid.box());
      EXPECT_NEAR(area / (2.0 * std::numbers::pi * radius), 1.0, 1e-2) << radius << ' ' << center;
    }
  }
}

/// A sheet of fluid by an expression, thinner than a spacing, takes heat on both of its sides,
/// through films in series with the medium between them and the faces. Sheets of less than half a
/// spacing may lie between a point and a face of its volume.
TEST_F(ThinShapes, SheetsOfFluidByExpressionsActOnBothSides) {
  double const conductivity = 2.0, h = 3.0;
  for (auto const& [from, to] :
       {std::pair{0.45, 0.51}, std::pair{0.41, 0.47}, std::pair{0.5, 0.59}, std::pair{0.46, 0.6},
        std::pair{0.46, 0.49}, std::pair{0.42, 0.44}, std::pair{0.47, 0.471}}) {
    for (int const axis : {0, 1}) {
      std::string const across = axis == 0 ? "x" : "y";
      std::string const fluid = fmt::format(
          "[[insulated]]\nname = \"f\"\nwhere = \"{0} > {1} && {0} < {2}\"\n[[convection]]\nof = "
          "\"f\"\nh = 3.0\nambient = 2.0\n",
          across, from, to);
      Case const chosen = case_of(between_plates("conductivity = 2.0\n" + fluid, across));
      EXPECT_NEAR(film_area(chosen.problem, 0, chosen.problem.grid.box()), 2.0, 1e-9) << from;
      auto const solver = solved(chosen.problem, chosen.method);
      HeatFlows const flows = flows_of(*solver, chosen.problem);
      double const below = 2.0 / (1.0 / h + from / conductivity);
      double const above = 1.0 / (1.0 / h + (1.0 - to) / conductivity);
      EXPECT_NEAR(-flows.faces[(Face{axis, false})], below, 1e-8) << from << ' ' << to;
      EXPECT_NEAR(-flows.faces[(Face{axis, true})], above, 1e-8) << from << ' ' << to;
      EXPECT_NEAR(flows.fixed[0], below + above, 1e-8) << from << ' ' << to;
    }
  }
}

/// Returns the first region of a kind with its measures.
app::MeasuredRegion measured(Case const& chosen, std::string const& kind) {
  for (app::MeasuredRegion const& region : app::measure_regions(chosen)) {
    if (region.placed.kind == kind) return region;
  }
  ADD_FAILURE() << "no " << kind;
  return {};
}

/// A region with a film that is smaller than a spacing ends four links, whose faces have another
/// area than its surface.
TEST_F(ThinShapes, FilmOfASmallRegionReportsItsArea) {
  for (std::string const region : {"box = { lower = [0.455, 0.455], upper = [0.545, 0.545] }\n",
                                   "where = \"max(abs(x - 0.5), abs(y - 0.5)) < 0.045\"\n"}) {
    Case const chosen =
        case_of(between_plates("[[fixed]]\nname = \"wire\"\nvalue = 2.0\nh = 3.0\n" + region, "x"));
    app::MeasuredRegion const film = measured(chosen, "film");
    EXPECT_NEAR(film.asked.value_or(0.0), 0.36, 1e-9) << region;
    EXPECT_NEAR(film.found.value_or(0.0), 0.4, 1e-9) << region;
    auto const remarks = app::remarks_on_regions({film});
    ASSERT_EQ(remarks.size(), 1) << region;
    EXPECT_NE(remarks[0].find("film \"wire\" acts on 11 % more area"), std::string::npos)
        << remarks[0];
  }
}

TEST_F(ThinShapes, FilmOfADiscIsComparedWithItsCircumference) {
  std::string const disc = "ball = { center = [0.513, 0.513], radius = 0.3 }\n";
  Case const chosen =
      case_of(between_plates("[[fixed]]\nname = \"pipe\"\nvalue = 2.0\nh = 3.0\n" + disc, "x"));
  EXPECT_NEAR(measured(chosen, "film").asked.value_or(0.0), 0.6 * std::numbers::pi, 1e-3);
}

/// In a radial grid the area is that of revolution. The shapes lie in the plane of r and z.
TEST_F(ThinShapes, FilmInARadialGridIsComparedWithItsAreaOfRevolution) {
  constexpr double pi = std::numbers::pi;
  std::string const box = "box = { lower = [0.72, 0.42], upper = [0.88, 0.58] }\n";
  std::string const expression = "where = \"max(abs(x - 0.8), abs(y - 0.5)) < 0.08\"\n";
  std::string const ball = "ball = { center = [0.8, 0.5], radius = 0.08 }\n";
  double const of_box = 2.0 * pi * (0.72 + 0.88) * 0.16 + 2.0 * pi * (0.88 * 0.88 - 0.72 * 0.72);
  double const of_ball = 2.0 * pi * 0.8 * 2.0 * pi * 0.08;  // a torus
  auto const film_of = [](std::string const& grid, std::string const& region) {
    return measured(case_of("[grid]\n" + grid + "[equation]\ntype = \"laplace\"\n[[fixed]]\n" +
                            "name = \"f\"\nvalue = 1\nh = 2\n" + region +
                            "[boundary]\nall = { type = \"robin\", coefficient = 1 }\n"),
                    "film");
  };
  std::string const cylinder =
      "geometry = \"axisymmetric\"\npoints = [22, 22]\nlower = [0.3, 0]\nupper = [1.3, 1]\n";
  for (auto const& [region, exact, tolerance] :
       {std::tuple{box, of_box, 1e-9}, {expression, of_box, 1e-9}, {ball, of_ball, 2e-3}}) {
    app::MeasuredRegion const film = film_of(cylinder, region);
    EXPECT_NEAR(film.asked.value_or(0.0) / exact, 1.0, tolerance) << region;
    EXPECT_EQ(app::remarks_on_regions({film}).size(), 1) << region;  // the grid is coarse
  }
  std::string const whole = "geometry = \"axisymmetric\"\npoints = [12, 11]\n";
  std::string const rod = "box = { lower = [0, 0.2], upper = [0.3, 0.9] }\n";
  EXPECT_NEAR(film_of(whole, rod).asked.value_or(0.0), 2.0 * pi * 0.3 * 0.7 + 2.0 * pi * 0.3 * 0.3,
              1e-9);
  std::string const shell = "box = { lower = [0.42], upper = [0.58] }\n";
  EXPECT_NEAR(film_of("geometry = \"spherical\"\npoints = [12]\n", shell).asked.value_or(0.0),
              4.0 * pi * (0.42 * 0.42 + 0.58 * 0.58), 1e-9);
}

/// The surface of a region that reaches the place where an axis closes may continue at its other
/// end.
TEST_F(ThinShapes, FilmInAPeriodicGridIsComparedIfItDoesNotWrapAround) {
  for (double const from : {0.455, -0.01, 0.96}) {
    std::string const ends =
        fmt::format("lower = [{}, 0.455], upper = [{}, 0.545]", from, from + 0.09);
    Case const chosen = case_of(
        "[grid]\npoints = [10, 11]\n[equation]\ntype = \"laplace\"\n[[fixed]]\nname = \"f\"\n"
        "value = 1\nh = 2\nbox = { " +
        ends +
        " }\n[boundary]\nx = { type = \"periodic\" }\ny = { type = \"dirichlet\", value = 0 }\n");
    auto const asked = measured(chosen, "film").asked;
    EXPECT_EQ(asked.has_value(), from > 0.0 && from < 0.9) << from;
    EXPECT_NEAR(asked.value_or(0.36), 0.36, 1e-9);
  }
}

/// Lines through a volume miss what is open in it: a hundredth, at its upper end.
TEST_F(ThinShapes, NearlyShutVolumeHasTheCapacityOfItsMaterials) {
  Case const chosen = case_of(
      "[grid]\npoints = [11, 11]\nupper = [1.0, 1.0]\n[equation]\ntype = \"diffusion\"\n"
      "[[insulated]]\nwhere = \"y < 0.249\"\n"
      "[[material]]\nconductivity = 2.0\ncapacity = 2.0\nwhere = \"x + 0.1*y < 0.56\"\n"
      "[boundary]\nall = { type = \"dirichlet\", value = 1.0 }\n"
      "[method]\nname = \"backward_euler\"\ntime_step = 0.01\nsteps = 5\n");
  EXPECT_NEAR(chosen.problem.medium.capacity(0.5, 0.2, 0.0, 0.0), 0.01 * 1.85, 0.01 * 0.06);
}

/// Functions without bounds hide parts between the places that the grid examines.
TEST_F(ThinShapes, MissedPartsAreReported) {
  // Four plates of 0.002: two around points, two between the places that are examined.
  std::string const plates = "[[material]]\nname = \"fins\"\nconductivity = 9.0\nwhere = \"";
  std::string const hidden =
      "floor(1000*min(abs(x - 0.3), abs(x - 0.7))) < 1 || "
      "floor(1000*min(abs(x - 0.1266), abs(x - 0.5266))) < 1\"\n";
  Case const chosen = case_of(between_plates(plates + hidden, "x"));
  app::MeasuredRegion const region = measured(chosen, "material");
  EXPECT_NEAR(region.sampled.value_or(0.0), 0.008, 8e-5);
  EXPECT_LT(region.found.value_or(1.0), 0.006);
  auto const remarks = app::remarks_on_regions({region});
  ASSERT_EQ(remarks.size(), 1);
  EXPECT_NE(remarks[0].find("less than the material \"fins\" contains"), std::string::npos)
      << remarks[0];
  // With bounds nothing is missed.
  std::string const found =
      "min(abs(x - 0.3), abs(x - 0.7)) < 0.001 || "
      "min(abs(x - 0.1266), abs(x - 0.5266)) < 0.001\"\n";
  app::MeasuredRegion const whole =
      measured(case_of(between_plates(plates + found, "x")), "material");
  EXPECT_NEAR(whole.found.value_or(0.0), 0.008, 1e-9);
  EXPECT_FALSE(whole.sampled);
}

/// Two chambers with a wall between them. No value is given in the right one.
std::string chambers(std::string const& upper, std::string const& amount) {
  return "[grid]\npoints = [11, 5]\nupper = [1.0, 1.0]\n[equation]\ntype = \"poisson\"\n"
         "[[insulated]]\nbox = { lower = [0.5, -1.0], upper = [0.6, 2.0] }\n"
         "[[source]]\nbox = { lower = [0.3, 0.0], upper = [" +
         upper + ", 1.0] }\n" + amount +
         "[boundary]\nall = { type = \"neumann\" }\n"
         "x_lower = { type = \"dirichlet\", value = 0.0 }\n"
         "[method]\nname = \"multigrid\"\ntolerance = 1e-12\n";
}

/// A source that covers the wall as well ends at its far side, up to rounding. It heats the left
/// chamber only.
TEST_F(ThinShapes, SourceDoesNotReachThroughAWallByRounding) {
  for (std::string const upper : {"0.6", "0.6000000000000001", "0.600000001"}) {
    for (auto const& [amount, heat] : {std::pair{"density = 5.0\n", 1.0}, {"power = 3.0\n", 3.0}}) {
      Case const chosen = case_of(chambers(upper, amount));
      auto const solver = solved(chosen.problem, chosen.method);
      double const flux = flows_of(*solver, chosen.problem).faces[(Face{0, false})];
      EXPECT_NEAR(flux, -heat, 1e-9) << upper << ' ' << amount;
    }
  }
  // In a wall alone it heats nothing, although it may overlap both chambers.
  std::string const inside = chambers("0.600000001", "power = 3.0\n");
  std::string wall = inside;
  wall.replace(wall.find("lower = [0.3, 0.0]"), 18, "lower = [0.499999999, 0.0]");
  EXPECT_THROW(case_of(wall), InputError);
}

/// A conductor in a sleeve of insulation. What the sleeve covers of a face conducts nothing, so the
/// conductor's section alone matters, however the medium around it conducts.
TEST_F(ThinShapes, ConductorInInsulationHasItsConductance) {
  for (char const* const base : {"1.0", "1000.0"}) {
    for (auto const& [region, insulated] :
         {std::pair{"box = { lower = [0.48, -1.0], upper = [0.54, 2.0] }\n", "outside = true\n"},
          std::pair{"where = \"abs(x - 0.51) < 0.03\"\n", ""}}) {
      std::string const outside = *insulated == '\0' ? "where = \"abs(x - 0.51) > 0.03\"\n"
                                                     : std::string(region) + insulated;
      std::string const text = between_plates(std::string("conductivity = ") + base +
                                                  "\n[[material]]\nconductivity = 50.0\n" + region +
                                                  "[[insulated]]\n" + outside,
                                              "y");
      EXPECT_NEAR(flux_across(text, 1), 3.0, 1e-6) << base << ' ' << region;
    }
  }
}

/// A round rod in a sleeve: the surfaces of both cut faces, and coincide.
TEST_F(ThinShapes, RoundRodInInsulationHasItsConductance) {
  std::string const rod = "cylinder = { axis = \"z\", center = [0.5, 0.47], radius = 0.24 }\n";
  std::string const text =
      "[grid]\npoints = [11, 11, 5]\nupper = [1.0, 1.0, 1.0]\n[equation]\ntype = \"laplace\"\n"
      "[[material]]\nconductivity = 50.0\n" +
      rod + "[[insulated]]\noutside = true\n" + rod +
      "[boundary]\nx = { type = \"neumann\" }\ny = { type = \"neumann\" }\n"
      "z_lower = { type = \"dirichlet\", value = 0.0 }\n"
      "z_upper = { type = \"dirichlet\", value = 1.0 }\n"
      "[method]\nname = \"multigrid\"\ntolerance = 1e-12\n";
  EXPECT_NEAR(flux_across(text, 2) / (50.0 * std::numbers::pi * 0.24 * 0.24), 1.0, 5e-3);
}

/// Returns a medium of capacity 1 with a material of capacity 10 in insulation.
std::string in_insulation(std::string const& grid, std::string const& material,
                          std::string const& insulated) {
  return "[grid]\n" + grid + "[equation]\ntype = \"diffusion\"\n[[material]]\n" + material +
         "capacity = 10.0\n[[insulated]]\n" + insulated +
         "[boundary]\nall = { type = \"neumann\" }\n[method]\nname = \"backward_euler\"\n"
         "time_step = 0.1\nsteps = 1\n";
}

/// Returns what the open volumes store per unit of the field.
double heat_of(std::string const& text) {
  Problem const problem = case_of(text).problem;
  Extent3 const n = problem.grid.points;
  double sum = 0.0;
  for (Index3 p; p.z < n.z; ++p.z) {
    for (p.y = 0; p.y < n.y; ++p.y) {
      for (p.x = 0; p.x < n.x; ++p.x) {
        if (open_share_of_volume(problem, p) < minimum_open_share) continue;
        sum += value_at(problem.medium.capacity, problem.grid, p) *
               volume(problem.grid, MediumUnits{}, p);
      }
    }
  }
  return sum;
}

/// Insulation takes the place of one material, not of the mean of all in a cell.
TEST_F(ThinShapes, MaterialNextToInsulationHasItsHeat) {
  std::string const square = "points = [11, 11]\nupper = [1.0, 1.0]\n";
  std::string const box = "box = { lower = [-1.0, -1.0], upper = [0.52, 2.0] }\n";
  EXPECT_NEAR(heat_of(in_insulation(square, box, box + "outside = true\n")), 5.2, 1e-9);
  EXPECT_NEAR(
      heat_of(in_insulation(square, box, "box = { lower = [0.52, -1.0], upper = [2.0, 2.0] }\n")),
      5.2, 1e-9);
  EXPECT_NEAR(heat_of(in_insulation(square, "where = \"x + 0.3*y < 0.52\"\n",
                                    "where = \"x + 0.3*y > 0.52\"\n")),
              3.7, 1e-3);
  std::string const rod = "cylinder = { axis = \"z\", center = [0.5, 0.47], radius = 0.24 }\n";
  EXPECT_NEAR(heat_of(in_insulation("points = [11, 11, 3]\nupper = [1.0, 1.0, 1.0]\n", rod,
                                    rod + "outside = true\n")) /
                  (10.0 * std::numbers::pi * 0.24 * 0.24),
              1.0, 3e-3);
}

}  // namespace
}  // namespace isotherm::test
