#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/support/face_names.hpp"

// Heterogeneous media in a case: coefficients, regions, patches and Robin faces.

namespace isotherm::test {
namespace {

/// A cube of 11 points along each axis with spacing 0.1, with `lines` appended; they begin at
/// line 10.
constexpr std::string_view cube = R"toml(title = "cube"
[grid]
points = [11, 11, 11]
[boundary]
all = { type = "dirichlet", value = 1.0 }
[method]
iterations = 3
[equation]
type = "laplace"
)toml";

/// The same in 2D, for diffusion.
constexpr std::string_view plate = R"toml(title = "plate"
[grid]
points = [11, 11]
[boundary]
all = { type = "neumann" }
[method]
steps = 3
[equation]
type = "diffusion"
)toml";

Case read(std::string_view text, std::string const& lines,
          std::vector<std::string> const& overrides = {}) {
  return parse_case(std::string(text) + lines, "case.toml", overrides);
}

Medium medium(std::string_view text, std::string const& lines) {
  return read(text, lines).problem.medium;
}

double at(ScalarFunction const& function, double x, double y, double z = 0.0) {
  return function(x, y, z, 0.0);
}

/// Of the plate's points (4, j) with j = 0 … 10: material 1 from j = 2 on, above it material 2 from
/// j = 4 on; insulated from j = 6 on; the second fixed region at j = 8; a Dirichlet face at j = 10.
TEST(CaseMedium, NumbersMaterialsInTheOrderOfTheCase) {
  std::string const lines =
      "[[material]]\nwhere = \"y > 0.15\"\nconductivity = 2\n"
      "[[material]]\nwhere = \"y > 0.35\"\ncapacity = 3\n"
      "[[fixed]]\nwhere = \"x < 0.05\"\nvalue = 1\n"
      "[[fixed]]\nwhere = \"abs(y - 0.8) < 0.05\"\nvalue = 1\n"
      "[[insulated]]\nwhere = \"y > 0.55\"\n";
  Problem const problem =
      read(plate, lines, {"boundary.y_upper={type=\"dirichlet\", value=1}"}).problem;
  std::vector<int> numbers;
  std::vector<bool> excluded;
  for (std::int64_t j = 0; j <= 10; ++j) {
    numbers.push_back(material_number(problem, {4, j, 0}));
    excluded.push_back(is_excluded(problem, {4, j, 0}));
  }

  EXPECT_EQ(numbers, (std::vector{0, 0, 1, 1, 2, 2, -1, -1, -3, -1, 2}));
  for (std::size_t j = 0; j < numbers.size(); ++j) EXPECT_EQ(excluded[j], numbers[j] == -1) << j;
  EXPECT_EQ(material_number(problem, {0, 7, 0}), -2);
  EXPECT_FALSE(is_excluded(problem, {0, 7, 0}));
  EXPECT_TRUE(may_exclude_points(problem));
}

/// A probe next to the region is interpolated from the points outside of it.
TEST(CaseMedium, RefusesPointProbesInsideInsulatedRegions) {
  auto const probe_at = [](std::string const& place) {
    return "[[insulated]]\nwhere = \"y > 0.55\"\n[[probe]]\nname = \"a\"\nat = " + place + "\n";
  };
  EXPECT_NO_THROW(read(plate, probe_at("[0.5, 0.59]")));
  try {
    read(plate, probe_at("[0.5, 0.61]"));
    ADD_FAILURE() << "was read";
  } catch (InputError const& refusal) {
    std::string const text = refusal.what();
    EXPECT_NE(text.find("case.toml:14: [probe] at lies inside an [[insulated]] region"),
              std::string::npos)
        << text;
  }
}

TEST(CaseMedium, DefaultsToConstantCoefficients) {
  Case const chosen = read(cube, "");

  EXPECT_FALSE(is_heterogeneous(chosen.problem));
  EXPECT_EQ(chosen.fingerprint.find("conductivity"), std::string::npos);
  EXPECT_EQ(chosen.fingerprint.find("fixed"), std::string::npos);
}

TEST(CaseMedium, ConductivityIsANumberAnExpressionOrAList) {
  Medium const number = medium(cube, "conductivity = 4.0");
  Medium const expression = medium(cube, "conductivity = \"1 + x + z\"");
  Medium const axes = medium(cube, "conductivity = [2, \"1 + y\", 0.5]");

  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(number.conductivity[axis].constant, 4.0);
    EXPECT_TRUE(number.conductivity[axis].is_constant());
    EXPECT_EQ(at(expression.conductivity[axis], 0.5, 9.0, 0.25), 1.75);
  }
  EXPECT_EQ(axes.conductivity[0].constant, 2.0);
  EXPECT_EQ(at(axes.conductivity[1], 0.0, 0.5), 1.5);
  EXPECT_EQ(axes.conductivity[2].constant, 0.5);
}

TEST(CaseMedium, KnowsTheAxesAlongWhichCoefficientsVary) {
  PerAxis<bool> const z{false, false, true};
  Medium const layers =
      medium(cube,
             "conductivity = \"1 + z\"\n[[material]]\nwhere = \"z < 0.3\"\nconductivity = 2\n"
             "[[material]]\nbox = { lower = [-9, -9, 0.6], upper = [9, 9, 0.8] }\n"
             "conductivity = 3");
  EXPECT_EQ(layers.conductivity[0].varies_along, z);
  Medium const block = medium(cube,
                              "conductivity = \"1 + z\"\n[[material]]\n"
                              "box = { lower = [-9, 0.5, 0.6], upper = [9, 9, 0.8] }\n"
                              "conductivity = 3");
  EXPECT_EQ(block.conductivity[0].varies_along, (PerAxis<bool>{false, true, true}));
}

TEST(CaseMedium, PlaneHasTwoConductivities) {
  Medium const axes = medium(plate,
                             "conductivity = [2, \"x\"]\ncapacity = \"1 + x\"\n"
                             "[[material]]\nwhere = \"x < 0.05\"\nconductivity = 7");

  EXPECT_EQ(at(axes.conductivity[0], 0.5, 0.5), 2.0);
  EXPECT_EQ(at(axes.conductivity[1], 0.5, 0.5), 0.5);
  EXPECT_EQ(at(axes.conductivity[0], 0.0, 0.5), 7.0);
  EXPECT_EQ(at(axes.conductivity[1], 0.0, 0.5), 7.0);
  EXPECT_EQ(at(axes.capacity, 1.0, 0.0), 2.0);
}

TEST(CaseMedium, AcceptsConstantsEverywhere) {
  Case const chosen =
      read(cube,
           "conductivity = [\"k\", \"2*k\", \"k*(1 + x)\"]\n[constants]\nk = 400\nr = 0.2\n"
           "[[material]]\nball = { center = [\"r\", 0, 0], radius = \"r\" }\n"
           "conductivity = \"k/4\"");
  Medium const& made = chosen.problem.medium;

  EXPECT_EQ(at(made.conductivity[0], 1.0, 1.0), 400.0);
  EXPECT_EQ(at(made.conductivity[1], 1.0, 1.0), 800.0);
  EXPECT_EQ(at(made.conductivity[2], 1.0, 1.0), 800.0);
  EXPECT_EQ(at(made.conductivity[2], 0.3, 0.1), 100.0);
}

/// The conductivity at a place; it is 5 inside the region and 1 elsewhere.
double in_region(std::string_view text, std::string const& region, double x, double y,
                 double z = 0.0) {
  return at(medium(text, "[[material]]\nconductivity = 5\n" + region).conductivity[1], x, y, z);
}

TEST(CaseRegion, BoxIncludesBothEnds) {
  std::string const box = "box = { lower = [0.1, 0.25, 0.0], upper = [0.3, 0.3, 1.0] }";

  EXPECT_EQ(in_region(cube, box, 0.1, 0.3, 0.0), 5.0);
  EXPECT_EQ(in_region(cube, box, 3 * 0.1, 3 * 0.1, 1.0), 5.0) << "but for rounding";
  EXPECT_EQ(in_region(cube, box, 0.1 - 1e-8, 0.3, 0.5), 1.0);
  EXPECT_EQ(in_region(cube, box, 0.3 + 1e-8, 0.3, 0.5), 1.0);
  EXPECT_EQ(in_region(cube, box, 0.2, 0.4, 0.5), 1.0);
  EXPECT_EQ(in_region(plate, "box = { lower = [0, 0], upper = [0.5, 1] }", 0.5, 1.0), 5.0);
}

TEST(CaseRegion, BallIsADiscIn2D) {
  std::string const ball = "ball = { center = [0.5, 0.5, 0.5], radius = 0.2 }";

  EXPECT_EQ(in_region(cube, ball, 0.7, 0.5, 0.5), 5.0);
  EXPECT_EQ(in_region(cube, ball, 0.5, 0.5, 7 * 0.1), 5.0) << "but for rounding";
  EXPECT_EQ(in_region(cube, ball, 0.6, 0.6, 0.6), 5.0);
  EXPECT_EQ(in_region(cube, ball, 0.7, 0.6, 0.5), 1.0);
  EXPECT_EQ(in_region(cube, ball, 0.5, 0.5, 0.8), 1.0);
  EXPECT_EQ(in_region(plate, "ball = { center = [0, 0], radius = 0.5 }", 0.3, 0.4), 5.0);
  EXPECT_EQ(in_region(plate, "ball = { center = [0, 0], radius = 0.5 }", 0.4, 0.4), 1.0);
}

TEST(CaseRegion, CylinderMayFollowAnyAxis) {
  std::string const along_x = "cylinder = { axis = \"x\", center = [0.2, 0.8], radius = 0.1 }";
  std::string const along_y =
      "cylinder = { axis = \"y\", center = [0.2, 0.8], radius = 0.1, lower = 0.5 }";
  std::string const along_z =
      "cylinder = { axis = \"z\", center = [0.2, 0.8], radius = 0.1, lower = 0.2, upper = 0.4 }";

  EXPECT_EQ(in_region(cube, along_x, 0.0, 0.3, 0.8), 5.0);
  EXPECT_EQ(in_region(cube, along_x, 1.0, 0.2, 0.7), 5.0);
  EXPECT_EQ(in_region(cube, along_x, 0.2, 0.8, 0.2), 1.0);
  EXPECT_EQ(in_region(cube, along_y, 0.2, 0.5, 0.9), 5.0);
  EXPECT_EQ(in_region(cube, along_y, 0.2, 0.4, 0.8), 1.0);
  EXPECT_EQ(in_region(cube, along_z, 0.3, 0.8, 0.4), 5.0);
  EXPECT_EQ(in_region(cube, along_z, 0.3, 0.9, 0.4), 1.0);
  EXPECT_EQ(in_region(cube, along_z, 0.2, 0.8, 0.5), 1.0);
}

TEST(CaseRegion, ExpressionSelectsPoints) {
  std::string const both = "where = \"x > 0.2 && z < 0.1 || y >= 0.95\"";
  std::string const number = "where = \"hypot(x - 0.5, y - 0.5) < 0.15 ? 2 : 0\"";

  EXPECT_EQ(in_region(cube, both, 0.3, 0.0, 0.0), 5.0);
  EXPECT_EQ(in_region(cube, both, 0.2, 0.0, 0.0), 1.0);
  EXPECT_EQ(in_region(cube, both, 0.3, 0.0, 0.1), 1.0);
  EXPECT_EQ(in_region(cube, both, 0.0, 1.0, 1.0), 5.0);
  EXPECT_EQ(in_region(plate, number, 0.6, 0.6), 5.0);
  EXPECT_EQ(in_region(plate, number, 0.6, 0.7), 1.0);
  EXPECT_EQ(in_region(plate, "where = \"1\"", 0.6, 0.7), 5.0);
}

TEST(CaseRegion, MayContainASinglePointOfALargeGrid) {
  std::string const one =
      "[[fixed]]\nvalue = 1\nwhere = \"abs(x - 0.7) < 1e-6 && y == 1\"\n"
      "[[insulated]]\nball = { center = [0.32, 0.28], radius = 0.03 }\n";

  EXPECT_NO_THROW(medium(plate, one));
  // Regions that would take too long to search are not refused.
  EXPECT_NO_THROW(read(cube, "[[fixed]]\nvalue = 1\nwhere = \"x == 0.123456\"",
                       {"grid.points=[2001, 1001, 501]"}));
}

TEST(CaseMedium, LaterMaterialOverridesEarlierOnes) {
  Medium const two =
      medium(plate,
             "capacity = 3\n"
             "[[material]]\nname = \"outer\"\nwhere = \"x > 0.25\"\nconductivity = 5\n"
             "capacity = \"10*x\"\n"
             "[[material]]\nwhere = \"x > 0.55\"\nconductivity = [7, 8]\n");

  EXPECT_EQ(at(two.conductivity[0], 0.2, 0.0), 1.0);
  EXPECT_EQ(at(two.conductivity[0], 0.3, 0.0), 5.0);
  EXPECT_EQ(at(two.conductivity[0], 0.6, 0.0), 7.0);
  EXPECT_EQ(at(two.conductivity[1], 0.3, 0.0), 5.0);
  EXPECT_EQ(at(two.conductivity[1], 0.6, 0.0), 8.0);
  EXPECT_EQ(at(two.capacity, 0.2, 0.0), 3.0);
  EXPECT_EQ(at(two.capacity, 0.6, 0.0), 6.0) << "one that gives none lets that below show through";
  EXPECT_EQ(two.conductivity[0].text, "1; 5 where x > 0.25; 7 where x > 0.55");
  EXPECT_EQ(two.conductivity[1].text, "1; 5 where x > 0.25; 8 where x > 0.55");
}

TEST(CaseMedium, HiddenValuesMayBeNegative) {
  Medium const hidden = medium(plate,
                               "conductivity = \"x - 0.15\"\n"
                               "[[material]]\nwhere = \"x < 0.3\"\nconductivity = \"x\"\n"
                               "[[material]]\nbox = { lower = [0, 0], upper = [0.1, 1] }\n"
                               "conductivity = 3");

  EXPECT_EQ(at(hidden.conductivity[0], 0.0, 0.0), 3.0);
  EXPECT_EQ(at(hidden.conductivity[0], 0.2, 0.0), 0.2);
}

TEST(CaseMedium, ReadsFixedAndInsulatedRegions) {
  Medium const made = medium(plate,
                             "[[fixed]]\nname = \"rod\"\nball = { center = [0, 0], radius = 0.3 }\n"
                             "value = \"x + 10*t\"\n"
                             "[[fixed]]\nwhere = \"x > 0.9\"\nvalue = -2\n"
                             "[[insulated]]\nname = \"hole\"\nwhere = \"y > 0.9\"\n");

  ASSERT_EQ(made.fixed.size(), 2U);
  EXPECT_EQ(made.fixed[0].name, "rod");
  EXPECT_TRUE(made.fixed[0].where.contains(0.1, 0.1, 0.0));
  EXPECT_FALSE(made.fixed[0].where.contains(0.3, 0.1, 0.0));
  EXPECT_EQ(made.fixed[0].value(0.5, 0.0, 0.0, 2.0), 20.5);
  EXPECT_TRUE(made.fixed[0].value.varies_in_time);
  EXPECT_EQ(made.fixed[1].name, "");
  EXPECT_EQ(made.fixed[1].value.constant, -2.0);
  ASSERT_EQ(made.insulated.size(), 1U);
  EXPECT_TRUE(made.insulated[0].contains(0.0, 1.0, 0.0));
  EXPECT_FALSE(made.insulated[0].contains(0.0, 0.9, 0.0));
}

TEST(CaseBoundary, ReadsRobinFaces) {
  Problem const problem =
      read(plate, "",
           {R"(boundary.x_lower={type="robin", coefficient="1 + y", value="20*t"})",
            "boundary.y={type=\"robin\", coefficient=0}"})
          .problem;

  EXPECT_EQ(problem.boundary[x_lower].kind, BoundaryKind::robin);
  EXPECT_EQ(at(problem.boundary[x_lower].coefficient, 0.0, 0.5), 1.5);
  EXPECT_EQ(problem.boundary[x_lower].value(0.0, 0.0, 0.0, 2.0), 40.0);
  EXPECT_TRUE(problem.boundary[y_upper].coefficient.is_zero());
  EXPECT_TRUE(problem.boundary[y_upper].value.is_zero());
  EXPECT_EQ(problem.boundary[x_upper].kind, BoundaryKind::neumann);
  EXPECT_TRUE(is_heterogeneous(problem));
}

TEST(CaseBoundary, ReadsPatchesOfFaces) {
  Problem const problem =
      read(cube,
           "[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.45\"\ntype = \"neumann\"\n"
           "value = 3\n"
           "[[boundary.patch]]\nface = \"z_lower\"\ntype = \"robin\"\ncoefficient = 2\n"
           "value = \"10*y\"\nball = { center = [0.5, 0.5, 0], radius = 0.2 }\n")
          .problem;

  ASSERT_EQ(problem.patches.size(), 2U);
  EXPECT_EQ(problem.patches[0].face, z_lower);
  auto const kind = [&](Face face, double x, double y, double z) {
    return condition_at(problem, face, x, y, z).kind;
  };
  EXPECT_EQ(kind(z_lower, 0.0, 0.0, 0.0), BoundaryKind::dirichlet);
  EXPECT_EQ(kind(z_lower, 0.9, 0.0, 0.0), BoundaryKind::neumann);
  EXPECT_EQ(kind(z_lower, 0.6, 0.5, 0.0), BoundaryKind::robin);
  EXPECT_EQ(kind(z_upper, 0.9, 0.0, 1.0), BoundaryKind::dirichlet);
  EXPECT_EQ(at(problem.patches[1].condition.value, 0.0, 0.5), 5.0);
  EXPECT_EQ(problem.patches[1].condition.coefficient.constant, 2.0);
}

TEST(CaseBoundary, HiddenValuesMayBeInvalid) {
  EXPECT_NO_THROW(read(cube,
                       "[[boundary.patch]]\nface = \"x_lower\"\nwhere = \"y < 0.05\"\n"
                       "type = \"dirichlet\"\nvalue = 1",
                       {"boundary.x_lower={type=\"dirichlet\", value=\"1/y\"}"}));
}

/// Additions that give a steady problem with Neumann faces a unique solution, so jacobi accepts it.
class Holds : public testing::TestWithParam<std::string> {};

TEST_P(Holds, MakesASteadyProblemSolvable) {
  std::vector<std::string> const insulated{"boundary.all={type=\"neumann\"}"};
  EXPECT_NO_THROW(read(cube, GetParam(), insulated));
  EXPECT_THROW(read(cube, "", insulated), InputError);

  std::vector<std::string> with_mean = insulated;
  with_mean.emplace_back("equation.mean=2");
  with_mean.emplace_back("method.name=multigrid");
  with_mean.emplace_back("method.tolerance=0.1");
  EXPECT_NO_THROW(read(cube, "", with_mean));
  EXPECT_THROW(read(cube, GetParam(), with_mean), InputError);
}

INSTANTIATE_TEST_SUITE_P(
    CaseBoundary, Holds,
    testing::Values("[[fixed]]\nvalue = 0\nwhere = \"x > 0.5\"",
                    "[boundary.x_lower]\ntype = \"robin\"\ncoefficient = 2",
                    "[boundary.x_lower]\ntype = \"robin\"\ncoefficient = \"y\"",
                    "[[boundary.patch]]\nface = \"x_lower\"\nwhere = \"y > 0.5\"\n"
                    "type = \"dirichlet\"",
                    "[[boundary.patch]]\nface = \"x_lower\"\nwhere = \"y > 0.5\"\n"
                    "type = \"robin\"\ncoefficient = 1e-3"));

TEST(CaseBoundary, RefusesRobinFacesWithZeroCoefficient) {
  EXPECT_THROW(read(cube, "", {"boundary.all={type=\"robin\", coefficient=0.0}"}), InputError);
}

/// Refused lines; the message begins with `start` and contains `advice`.
struct Refusal {
  std::string lines;
  std::string start;
  std::string advice;
  std::string_view text = cube;
  std::vector<std::string> overrides{};
};

std::ostream& operator<<(std::ostream& stream, Refusal const& refusal) {
  return stream << refusal.start;
}

class CaseMediumRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(CaseMediumRefusal, NamesPlaceKeyAndRemedy) {
  auto const& [lines, start, advice, text, overrides] = GetParam();
  std::string message;
  try {
    read(text, lines, overrides);
  } catch (InputError const& error) {
    message = error.what();
  }
  EXPECT_TRUE(message.starts_with((start.starts_with("--") ? "" : "case.toml:") + start))
      << message;
  EXPECT_NE(message.find(advice), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Values, CaseMediumRefusal,
    testing::Values(
        Refusal{"conductivity = 0", "10: [equation] conductivity is 0", "a number above 0"},
        Refusal{"conductivity = [1, -2, 3]", "10: [equation] conductivity is -2 on the y axis",
                "a number above 0"},
        Refusal{"conductivity = [1, 2]", "10: [equation] conductivity has 2 entries",
                "needs 3, one per axis"},
        Refusal{"conductivity = [1, true, 2]", "10: [equation] conductivity contains true",
                "a number, an expression in quotes, { file, dataset }, or a list of these, one per "
                "axis"},
        Refusal{"conductivity = {}", "10: [equation.conductivity] file is missing",
                "conductivity = { file = \"data.h5\", dataset = \"/conductivity\" }"},
        Refusal{"conductivity = \"x - 0.5\"",
                "10: [equation] conductivity is -0.5 at x = 0, y = 0, z = 0",
                "values above 0 everywhere"},
        Refusal{"conductivity = [1, 1, \"1/(x - 0.5)^2\"]",
                "10: [equation] conductivity is not finite on the z axis in float64 at x = 0.5",
                ""},
        Refusal{"conductivity = \"1 + t\"", "10: [equation] conductivity: \"1 + t\"",
                "depends on t"},
        Refusal{"conductivity = [1, \"q\", 1]", "10: [equation] conductivity: \"q\"",
                "\"q\" is not known"},
        Refusal{"conductivity = \"z\"", "10: [equation] conductivity: \"z\"", "the grid is 2D",
                plate},
        Refusal{"conductivty = 2", "10: [equation] conductivty is not a key",
                "did you mean conductivity?"},
        Refusal{"conductivity = 1e-60",
                "10: [equation] conductivity is 1e-60",
                "too small for float32",
                cube,
                {"grid.precision=float32"}},
        Refusal{"capacity = 2", "10: [equation] capacity applies only to type = \"diffusion\"",
                "leave it out"},
        Refusal{"capacity = -2", "10: [equation] capacity is -2", "above 0", plate},
        Refusal{"capacity = [1, 2]", "10: [equation] capacity is a list", "a number", plate},
        Refusal{"capacity = \"0.4 - x\"", "10: [equation] capacity is -0.1 at x = 0.5",
                "above 0 everywhere", plate},
        Refusal{"capacity = 2\ndiffusivity = 1.0",
                "11: [equation] diffusivity conflicts with capacity", "conductivity / capacity",
                plate},
        Refusal{"diffusivity = 1.0\nconductivity = 2",
                "10: [equation] diffusivity conflicts with conductivity", "leave it out", plate},
        Refusal{"diffusivity = 1.0\n[[material]]\nwhere = \"x > 0.5\"\ncapacity = 2",
                "10: [equation] diffusivity conflicts with [[material]]", "leave it out", plate}));

INSTANTIATE_TEST_SUITE_P(
    Regions, CaseMediumRefusal,
    testing::Values(
        Refusal{"[[insulated]]\nname = \"a\"", "10: [insulated] where is missing",
                "where, box, ball, cylinder and stl"},
        Refusal{"[[insulated]]\nwhere = \"x > 0.5\"\nball = { center = [0, 0, 0], radius = 1 }",
                "12: [insulated] ball conflicts with where",
                "one of where, box, ball, cylinder and stl"},
        Refusal{"[[insulated]]\nwher = \"x > 0.5\"", "11: [insulated] wher is not a key",
                "did you mean where?"},
        Refusal{"[[insulated]]\nwhere = 1", "11: [insulated] where is 1", "x > 0.2 && y < 0.1"},
        Refusal{"[[insulated]]\nwhere = \"x > t\"", "11: [insulated] where: \"x > t\"",
                "depends on t"},
        Refusal{"[[insulated]]\nwhere = \"x > 0.2 and y > 3\"",
                "11: [insulated] where: \"x > 0.2 and y > 3\"", "write &&"},
        Refusal{"[[insulated]]\nwhere = \"x = 0.2\"", "11: [insulated] where: \"x = 0.2\"",
                "write =="},
        Refusal{"[[insulated]]\nwhere = \"z > 0.2\"", "11: [insulated] where: \"z > 0.2\"",
                "the grid is 2D", plate},
        Refusal{"[[insulated]]\nwhere = \"sqrt(x - 0.5)\"",
                "11: [insulated] where is not finite in float64 at x = 0", ""},
        Refusal{"[[insulated]]\nwhere = \"x > 1.01\"",
                "11: [insulated] where is true at none of the grid's points",
                "a condition that at least one of them meets"},
        Refusal{"[[insulated]]\nwhere = \"x == 0.7\"", "11: [insulated] where is true at none",
                "write abs(x - 0.7) < 1e-6"},
        Refusal{"[[insulated]]\nwhere = \"0\"", "11: [insulated] where is true at none", ""},
        Refusal{"[[insulated]]\nbox = { lower = [0, 0], upper = [1, 1, 1] }",
                "11: [insulated.box] lower has 2 entries", "needs 3"},
        Refusal{"[[insulated]]\nbox = { lower = [0, 0, 0] }",
                "11: [insulated.box] upper is missing", "a list of numbers"},
        Refusal{"[[insulated]]\nbox = { lower = [0, 0.5, 0], upper = [1, 0.4, 1] }",
                "11: [insulated.box] upper is 0.4 on the y axis", "below lower, 0.5"},
        Refusal{"[[fixed]]\nvalue = 1.0\nbox = { lower = [0.51, 0, 0], upper = [0.59, 1, 1] }",
                "12: [fixed] box contains none of the grid's points", "nearest"},
        Refusal{"[[insulated]]\nbox = { lower = [1.1, 0, 0], upper = [2, 1, 0] }",
                "11: [insulated] box has no volume within the grid", "the box has x from 1.1 to 2"},
        Refusal{"[[fixed]]\nvalue = 1.0\nball = { center = [0.55, 0.52, 0], radius = 0.04 }",
                "12: [fixed] ball contains none", "y = 0.5, z = 0"},
        Refusal{"[[insulated]]\nball = { center = [0.5, 0.5, 0], radius = 0 }",
                "11: [insulated.ball] radius is 0", "above 0"},
        Refusal{"[[insulated]]\nball = { centre = [0.5, 0.5, 0], radius = 1 }",
                "11: [insulated.ball] centre is not a key", "did you mean center?"},
        Refusal{"[[insulated]]\nball = { radius = 1 }", "11: [insulated.ball] center is missing",
                "a list of numbers"},
        Refusal{"[[insulated]]\ncylinder = { center = [0.5, 0.5], radius = 1 }",
                "11: [insulated.cylinder] axis is missing", "the direction of the cylinder"},
        Refusal{"[[insulated]]\ncylinder = { axis = \"r\", center = [0.5, 0.5], radius = 1 }",
                "11: [insulated.cylinder] axis is \"r\"", "valid values are \"x\", \"y\", \"z\""},
        Refusal{"[[insulated]]\ncylinder = { axis = \"y\", center = [0, 0, 0], radius = 1 }",
                "11: [insulated.cylinder] center has 3 entries",
                "needs 2, the x and z of a cylinder along y"},
        Refusal{"[[insulated]]\n"
                "cylinder = { axis = \"z\", center = [0, 0], radius = 1, lower = 2, upper = 1 }",
                "11: [insulated.cylinder] upper is 1 on the z axis", "below lower, 2"},
        Refusal{"[[insulated]]\n"
                "cylinder = { axis = \"z\", center = [0, 0], radius = 1, lower = 2 }",
                "11: [insulated] cylinder has no volume within the grid", "z from 2 to inf"},
        Refusal{"[[insulated]]\ncylinder = { axis = \"z\", center = [0, 0], radius = 1 }",
                "11: [insulated] cylinder needs a 3D grid", "a ball is a disc", plate},
        Refusal{"[[insulated]]\nname = \"a b\"\nwhere = \"x > 0.5\"",
                "11: [insulated] name is \"a b\"", "ASCII letters"},
        Refusal{"[[insulated]]\nwhere = \"x > 0.5\"\nvalue = 3",
                "12: [insulated] value is not a key", "valid keys are name, where, box"},
        Refusal{"[insulated]\nwhere = \"x > 0.5\"", "10: insulated is a table",
                "write [[insulated]]"}));

INSTANTIATE_TEST_SUITE_P(
    Materials, CaseMediumRefusal,
    testing::Values(
        Refusal{"[[material]]\nwhere = \"x > 0.5\"", "10: [material] conductivity is missing",
                "a number above 0"},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"", "10: [material] conductivity is missing",
                "conductivity, capacity or both", plate},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"\nconductivity = 2\ncapacity = 2",
                "13: [material] capacity applies only to type = \"diffusion\"", "leave it out"},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"\nconductivity = -2",
                "12: [material] conductivity is -2", "a number above 0"},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"\nconductivity = \"0.95 - x\"",
                "12: [material] conductivity is -0.05", "at x = 1"},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"\nconductivity = [1, 1, \"0.95 - x\"]",
                "12: [material] conductivity is -0.05 on the z axis", "at x = 1"},
        Refusal{
            "[[material]]\nbox = { lower = [1, 0, 0], upper = [1, 1, 1] }\nconductivity = 2",
            "11: [material] box has no volume within the grid",
            "(the grid has x from 0 to 1, y from 0 to 1, z from 0 to 1; the box has x = 1, y from"},
        Refusal{"[[material]]\nbox = { lower = [0.9, 0, 0], upper = [1, 1, 1] }\n"
                "conductivity = 2\n[[material]]\nwhere = \"x > 7\"\nconductivity = 1",
                "14: [material] where is true at none", ""},
        Refusal{"[[material]]\nwhere = \"x > 0.5\"\nconductivity = 2",
                "--set material.0.conductivity=0: [material] conductivity is 0",
                "above 0",
                cube,
                {"material.0.conductivity=0"}}));

INSTANTIATE_TEST_SUITE_P(
    Fixed, CaseMediumRefusal,
    testing::Values(Refusal{"[[fixed]]\nwhere = \"x > 0.5\"", "10: [fixed] value is missing",
                            "a number, or an expression"},
                    Refusal{"[[fixed]]\nwhere = \"x > 0.5\"\nvalue = \"t\"",
                            "12: [fixed] value: \"t\"", "depends on t"},
                    Refusal{"[[fixed]]\nwhere = \"x > 0.45\"\nvalue = \"1/(x - 0.5)\"",
                            "12: [fixed] value is not finite in float64 at x = 0.5", ""},
                    Refusal{"[[fixed]]\nname = \"a\"\nwhere = \"x > 0.5\"\nvalue = 1\n"
                            "[[fixed]]\nwhere = \"x < 0.5\"\nvalue = 1\nname = \"a\"",
                            "17: [fixed] name is \"a\", the name of another", "a unique name"},
                    Refusal{"[[fixed]]\nwhere = \"x > 0.5\"\nvalue = 1\nconductivity = 1",
                            "13: [fixed] conductivity is not a key", ""}));

INSTANTIATE_TEST_SUITE_P(
    Boundaries, CaseMediumRefusal,
    testing::Values(
        Refusal{"[boundary.x]\ntype = \"robin\"\nvalue = 1",
                "10: [boundary.x] coefficient is missing", "a number of 0 or more"},
        Refusal{"[boundary.x]\ntype = \"robin\"\ncoefficient = -1",
                "12: [boundary.x] coefficient is -1", "a number of 0 or more"},
        Refusal{"[boundary.x]\ntype = \"robin\"\ncoefficient = \"y - 0.5\"",
                "12: [boundary.x] coefficient is -0.5 at x = 0, y = 0", "of 0 or more everywhere"},
        Refusal{"[boundary.x]\ntype = \"robin\"\ncoefficient = \"t\"",
                "6: [method] name is \"ftcs\" by default", "depends on t", plate},
        Refusal{"[boundary.x]\ntype = \"neumann\"\ncoefficient = 1",
                "12: [boundary.x] coefficient applies only to type = \"robin\"", "leave it out"},
        Refusal{"[boundary.x]\ntype = \"robyn\"", "11: [boundary.x] type is \"robyn\"",
                "did you mean \"robin\"?"},
        Refusal{"[boundary.x]\nface = \"x_lower\"", "11: [boundary.x] face is not a key",
                "it belongs in [[boundary.patch]]"},
        Refusal{"[[boundary.patch]]\nwhere = \"x > 0.5\"", "10: [boundary.patch] face is missing",
                "z_lower"},
        Refusal{"[[boundary.patch]]\nface = \"z_lowr\"", "11: [boundary.patch] face is \"z_lowr\"",
                "did you mean \"z_lower\"?"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"", "10: [boundary.patch] where is missing",
                "box, ball"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"",
                "10: [boundary.patch] type is missing", "\"robin\""},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\ntype = \"periodic\"",
                "13: [boundary.patch] type is \"periodic\"", "\"robin\""},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\ntype = \"robin\"",
                "10: [boundary.patch] coefficient is missing", "0 or more"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\n"
                "type = \"dirichlet\"\nvalue = \"1/(x - 1)\"",
                "14: [boundary.patch] value is not finite in float64 at x = 1", "z = 0"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\n"
                "type = \"robin\"\ncoefficient = \"0.8 - x\"",
                "14: [boundary.patch] coefficient is -0.2 at x = 1", "z = 0"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"z > 0\"\ntype = \"neumann\"",
                "12: [boundary.patch] where is true at none of the points of the face z_lower", ""},
        Refusal{
            "[[boundary.patch]]\nface = \"z_upper\"\ntype = \"neumann\"\n"
            "ball = { center = [0.5, 0.5, 0.0], radius = 0.3 }",
            "13: [boundary.patch] ball covers no part of the face z_upper",
            "y from 0 to 1, z = 1; the ball has x from 0.2 to 0.8, y from 0.2 to 0.8, z from -0.3"},
        Refusal{"[[boundary.patch]]\nface = \"z_upper\"\ntype = \"dirichlet\"\n"
                "ball = { center = [0.5, 0.5, 0.0], radius = 0.3 }",
                "13: [boundary.patch] ball contains none of the points of the face z_upper",
                "the nearest to its center is at x = 0.5, y = 0.5, z = 1"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\ntype = \"neumann\"",
                "11: [boundary.patch] face is z_lower, which is periodic",
                "",
                cube,
                {"boundary.z={type=\"periodic\"}"}},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nwhere = \"x > 0.5\"\ntype = \"neumann\"",
                "11: [boundary.patch] face is z_lower, a face of a 3D grid", "2 entries", plate},
        Refusal{"[boundary.patch]\nface = \"z_lower\"", "10: [boundary] patch is a table",
                "write [[boundary.patch]]"},
        Refusal{"[[boundary.patch]]\nface = \"z_lower\"\nbox = { lowr = [0, 0, 0] }",
                "12: [boundary.patch.box] lowr is not a key", "did you mean lower?"}));

TEST(CaseMediumOverride, ReplacesOtherFormsOfTheDiffusivity) {
  Case const diffusivity =
      read(plate, "conductivity = 2\ncapacity = 4", {"equation.diffusivity=3"});
  Case const conductivity = read(plate, "diffusivity = 2", {"equation.conductivity=3"});

  EXPECT_EQ(diffusivity.problem.diffusivity, 3.0);
  EXPECT_FALSE(is_heterogeneous(diffusivity.problem));
  EXPECT_EQ(conductivity.problem.diffusivity, 1.0);
  EXPECT_EQ(conductivity.problem.medium.conductivity[0].constant, 3.0);
}

TEST(CaseMediumOverride, ChangesRegions) {
  std::string const lines =
      "[[fixed]]\nball = { center = [0, 0, 0], radius = 0.1 }\nvalue = 1\n"
      "[[boundary.patch]]\nface = \"x_lower\"\nwhere = \"y > 0.5\"\n"
      "type = \"neumann\"";
  Case const chosen =
      read(cube, lines,
           {"fixed.0.ball.radius=0.2", "fixed.0.ball.center.0=1", "boundary.patch.0.value=4"});

  EXPECT_TRUE(chosen.problem.medium.fixed[0].where.contains(0.8, 0.0, 0.0));
  EXPECT_FALSE(chosen.problem.medium.fixed[0].where.contains(0.0, 0.0, 0.0));
  EXPECT_EQ(chosen.problem.patches[0].condition.value.constant, 4.0);
  EXPECT_EQ(parse_case(chosen.text, "again.toml").fingerprint, chosen.fingerprint);
  EXPECT_EQ(read(cube, lines, {"!fixed", "!boundary.patch"}).fingerprint,
            read(cube, "").fingerprint);
}

TEST(CaseMedium, RefusalNamesTheLineOfARegionsKey) {
  auto const said = read(cube,
                         "conductivity = 2\n[[fixed]]\nwhere = \"x > 0.5\"\nvalue = 1\n[[fixed]]\n"
                         "where = \"x < 0.5\"\nvalue = \"2*y\"",
                         {"fixed.0.value=3"})
                        .said;

  EXPECT_EQ(said.at("equation.conductivity"), "case.toml:10: [equation] conductivity = 2");
  EXPECT_EQ(said.at("fixed.0.value"), "--set fixed.0.value=3: [fixed] value");
  EXPECT_EQ(said.at("fixed.1.value"), "case.toml:16: [fixed] value = \"2*y\"");
}

std::vector<std::string> differences(std::string_view text, std::string const& mine,
                                     std::string const& theirs,
                                     std::vector<std::string> const& overrides = {}) {
  return fingerprint_differences(read(text, mine, overrides).fingerprint,
                                 read(text, theirs, overrides).fingerprint);
}

TEST(CaseMediumFingerprint, EqualForEqualMedia) {
  EXPECT_TRUE(differences(cube, "conductivity = 2", "conductivity = [2.0, \"4/2\", 2]").empty());
  EXPECT_TRUE(differences(cube, "conductivity = 1", "").empty());
  EXPECT_TRUE(differences(cube,
                          "[[fixed]]\nvalue = 1\nbox = { lower = [0, 0, 0], upper = [1, 1, 0.5] }",
                          "[[fixed]]\nname = \"a\"\nvalue = \"c\"\n"
                          "box = { lower = [-0.0, 0, 0], upper = [\"c\", 1, 0.5] }\n"
                          "[constants]\nc = 1\n[output]\npicture = false")
                  .empty());
}

TEST(CaseMediumFingerprint, NamesDifferences) {
  EXPECT_EQ(
      differences(cube, "conductivity = 2", ""),
      std::vector<std::string>{"[equation] conductivity is \"2\", but the file has no such key"});
  EXPECT_EQ(differences(cube, "conductivity = 2", "conductivity = [2, 2, \"x + 1\"]"),
            std::vector<std::string>{
                "[equation] conductivity is \"2\", but the file has [\"2\",\"2\",\"x + 1\"]"});
  // the stable time steps differ
  std::vector<std::string> const same_step{"method.time_step=0.001"};
  EXPECT_EQ(differences(plate, "", "capacity = 3", same_step),
            std::vector<std::string>{"[equation] capacity is not given, but the file has \"3\""});
  EXPECT_EQ(differences(cube, "",
                        "[[material]]\nball = { center = [0, 0, 0], radius = 1 }\n"
                        "conductivity = 3"),
            std::vector<std::string>{"[equation] conductivity is not given, but the file has "
                                     "\"1; 3 ball [0, 0, 0] radius 1\""});
}

TEST(CaseMediumFingerprint, ContainsEveryKeyOfARegion) {
  std::string const fixed = "[[fixed]]\nvalue = 1\n";
  std::string const face = "[[boundary.patch]]\nface = \"x_lower\"\nwhere = \"y > 0.5\"\n";
  std::string const insulated = "[[insulated]]\n";
  std::string const cylinder = "cylinder = { axis = \"z\", center = [0, 0], radius = 1";
  struct Pair {
    std::string mine, theirs, says;
  };
  for (auto const& [mine, theirs, says] :
       {Pair{fixed + "where = \"x > 0.5\"", fixed + "where = \"x > 0.6\"", "[[fixed]] is \"1, di"},
        Pair{fixed + "where = \"x > 0.5\"", "[[fixed]]\nvalue = 2\nwhere = \"x > 0.5\"",
             "[[fixed]]"},
        Pair{fixed + "where = \"x > 0.5\"", "", "[[fixed]] is \"1, digest"},
        Pair{insulated + cylinder + "}", insulated + cylinder + ", upper = 0.5}", "[[insulated]]"},
        Pair{insulated + cylinder + "}", insulated + cylinder + ", lower = 0.5}", "[[insulated]]"},
        Pair{face + "type = \"neumann\"", face + "type = \"dirichlet\"", "[boundary] patch is"},
        Pair{face + "type = \"robin\"\ncoefficient = 1", face + "type = \"robin\"\ncoefficient = 2",
             "[boundary] patch is"},
        Pair{"[boundary.x]\ntype = \"robin\"\ncoefficient = 1\nvalue = 3",
             "[boundary.x]\ntype = \"robin\"\ncoefficient = 2\nvalue = 3",
             R"([boundary] x_lower is "robin 1 3", but the file has "robin 2 3")"}}) {
    auto const found = differences(cube, mine, theirs);
    ASSERT_FALSE(found.empty()) << mine << theirs;
    EXPECT_TRUE(found[0].starts_with(says)) << found[0];
  }
}

TEST(CaseMediumFingerprint, DistinguishesManyMaterialsCompactly) {
  auto const materials = [](std::string const& last) {
    std::string lines;
    for (int i = 0; i < 50; ++i) {
      lines += "[[material]]\nwhere = \"x > 0.5\"\nconductivity = " + (i < 49 ? "2" : last) + '\n';
    }
    return lines;
  };
  EXPECT_TRUE(differences(cube, materials("3"), materials("3.0")).empty());
  EXPECT_EQ(differences(cube, materials("3"), materials("4")).size(), 1U);
  EXPECT_LT(read(cube, materials("3")).fingerprint.size(), 2000U);
}

}  // namespace
}  // namespace isotherm::test
