#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "case/case.hpp"
#include "case/key_at_fault.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Refusals of invalid cases, each with place, key and remedy.

namespace isotherm::test {
namespace {

/// A refused text; the message begins with `start` and contains `advice`.
struct Refusal {
  std::string text;
  std::string start;
  std::string advice;
  std::vector<std::string> overrides{};
};

std::ostream& operator<<(std::ostream& stream, Refusal const& refusal) {
  return stream << refusal.start;
}

/// The refusal of a changed laplace_case.
Refusal laplace(std::string_view from, std::string_view to, std::string const& start,
                std::string const& advice) {
  return {with(laplace_case, from, to), "case.toml:" + start, advice};
}

Refusal diffusion(std::string_view from, std::string_view to, std::string const& start,
                  std::string const& advice) {
  return {with(diffusion_case, from, to), "case.toml:" + start, advice};
}

Refusal set(std::vector<std::string> overrides, std::string const& start,
            std::string const& advice) {
  return {std::string(laplace_case), start, advice, std::move(overrides)};
}

std::string refusal_of(Refusal const& refusal) {
  try {
    parse_case(refusal.text, "case.toml", refusal.overrides);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

class CaseRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(CaseRefusal, NamesPlaceKeyAndRemedy) {
  ASSERT_TRUE(!GetParam().text.empty() || GetParam().start == "case.toml: the case is empty");

  std::string const message = refusal_of(GetParam());

  EXPECT_TRUE(message.starts_with(GetParam().start)) << message;
  EXPECT_NE(message.find(GetParam().advice), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    NotToml, CaseRefusal,
    testing::Values(Refusal{"", "case.toml: the case is empty", "isotherm new laplace"},
                    Refusal{"# nothing yet\n", "case.toml: the case is empty", "isotherm new"},
                    laplace("points = [9, 10, 11]", "points = [9, 10", "4: not valid TOML", ""),
                    laplace("iterations = 20", "iterations = 20\niterations = 30",
                            "15: not valid TOML", "iterations"),
                    laplace("[method]", "[grid]", "12: not valid TOML", "grid"),
                    laplace("keep = 2", "keep = \"\xff\xfe\"", "18: not valid TOML", "utf-8"),
                    laplace("\"cpu\"", "cpu", "20: not valid TOML", "")));

INSTANTIATE_TEST_SUITE_P(
    WithoutQuotes, CaseRefusal,
    testing::Values(laplace("\"cpu\"", "cpu", "20: not valid TOML", "need quotes"),
                    Refusal{"[equation]\nsource = 2*x  # W\n", "case.toml:2: not valid TOML",
                            R"(need quotes: source = "2*x")"},
                    Refusal{"[[source]]\npower = 50.0 W\n", "case.toml:2: not valid TOML",
                            "numbers have no units: 50.0"},
                    Refusal{"[method]\ntime_step = 0,5\n", "case.toml:2: not valid TOML",
                            "has a decimal point: 0.5"},
                    Refusal{"[equation]\ntype = \u201cpoisson\u201d\n",
                            "case.toml:2: not valid TOML", "straight quotes"},
                    Refusal{"[grid]\nupper = [0.1 m, 0.2 m]\n", "case.toml:2: not valid TOML",
                            "numbers have no units: 0.1"},
                    Refusal{"[boundary]\nx = { type = \"robin\", h = 5,0, ambient = 2 }\n",
                            "case.toml:2: not valid TOML", "decimal point: 5.0"},
                    Refusal{"[grid]\npoints = 21, 31\n", "case.toml:2: not valid TOML",
                            "a list needs brackets: [21, 31]"},
                    Refusal{"title = \"wall\n", "case.toml:1: not valid TOML",
                            "a quotation mark is missing"},
                    Refusal{"[boundary]\nx = { type = \"periodic\"\n",
                            "case.toml:2: not valid TOML", "a } is missing"}));

INSTANTIATE_TEST_SUITE_P(
    WordsOfOtherPrograms, CaseRefusal,
    testing::Values(
        set({R"(boundary.all={type="convective", value=1.0})"}, "--set boundary.all",
            R"(write type = "convection" with h)"),
        set({R"(boundary.all={type="Flux", value=1.0})"}, "--set boundary.all",
            R"(did you mean "flux")"),
        set({R"(boundary.all={type="heat", value=1.0})"}, "--set boundary.all",
            R"(write type = "flux")"),
        set({R"(boundary.all={type="adiabatic"})"}, "--set boundary.all",
            R"(write type = "neumann", which is insulated)"),
        set({R"(boundary.all={type="insulated"})"}, "--set boundary.all",
            R"(write type = "neumann", which is insulated)"),
        set({R"(boundary.all={type="temperature", value=1.0})"}, "--set boundary.all",
            R"(write type = "dirichlet")"),
        set({R"(boundary.all={type="robin", h=1.0})"}, "--set boundary.all", "write coefficient"),
        set({R"(boundary.all={type="robin", ambient=1.0})"}, "--set boundary.all", "write value")));

INSTANTIATE_TEST_SUITE_P(
    VanishInFloat32, CaseRefusal,
    testing::Values(
        set({"grid.precision=float32", R"(boundary.all={type="dirichlet", value=1e-300})"},
            "--set boundary.all", "value is 1e-300, which is too small for float32"),
        set({"grid.precision=float32",
             R"-(boundary.all={type="dirichlet", value="1e-40*(1 + x)"})-"},
            "--set boundary.all", "value is not 0, but too small for float32 everywhere"),
        set({"grid.precision=float32",
             R"(boundary.all={type="robin", coefficient=1e-300, value=1.0})"},
            "--set boundary.all", "coefficient is 1e-300, which is too small for float32"),
        set({"grid.precision=float32", "initial.value=1e-40*(1 + x)"}, "--set initial.value",
            "[initial] value is not 0, but too small for float32 everywhere"),
        set({"grid.precision=float32", "equation.type=poisson", "equation.source=1e-300"},
            "--set equation.source", R"(set [grid] precision = "float64")")));

TEST(CaseValues, MayUnderflowInFloat32) {
  std::vector<std::string> const overrides{
      "grid.precision=float32", R"-(boundary.all={type="dirichlet", value="exp(-200*x)"})-",
      "initial.value=exp(-4000*((x - 0.5)^2 + (y - 0.5)^2))"};

  EXPECT_NO_THROW(parse_case(std::string(laplace_case), "case.toml", overrides));
}

INSTANTIATE_TEST_SUITE_P(
    MoreCoordinatesThanARankKeeps, CaseRefusal,
    testing::Values(
        set({"grid.points=[4503599627370495, 8, 8]", R"(grid.x={stretch="tanh", strength=2.0})"},
            "--set grid.points", "4503599627370495 on the x axis, where the spacing varies"),
        set({"grid.points=[8, 4503599627370495, 8]",
             R"(grid.y={stretch="geometric", strength=2.0})"},
            "--set grid.points", "needs at most 4194304 there")));

constexpr char const* maximum = "needs at most 4503599627370496";

INSTANTIATE_TEST_SUITE_P(
    CountsTooLarge, CaseRefusal,
    testing::Values(laplace("iterations = 20", "iterations = 4503599627370497",
                            "14: [method] iterations is 4503599627370497", maximum),
                    laplace("iterations = 20", "iterations = 20\ncheck_every = 9223372036854775807",
                            "15: [method] check_every is 9223372036854775807", maximum),
                    set({"output.snapshot_every=9223372036854775807"},
                        "--set output.snapshot_every=9223372036854775807: [output] snapshot_every",
                        maximum),
                    set({"checkpoint.every=9223372036854775807"},
                        "--set checkpoint.every=9223372036854775807: [checkpoint] every", maximum),
                    set({"checkpoint.keep=9223372036854775807"},
                        "--set checkpoint.keep=9223372036854775807: [checkpoint] keep", maximum),
                    set({"grid.points=[2000000,2000000,2000000]"}, "--set grid.points=", "2^60"),
                    diffusion("steps = 7", "steps = 9223372036854775807", "", "2^52")));

INSTANTIATE_TEST_SUITE_P(
    UnknownKeys, CaseRefusal,
    testing::Values(laplace("iterations", "iteratons", "14: [method] iteratons is not a key",
                            "did you mean iterations?"),
                    laplace("iterations", "Iterations", "14: [method] Iterations is not a key",
                            "did you mean iterations?"),
                    laplace("[checkpoint]", "[chekpoint]", "17: [chekpoint] is not a section",
                            "did you mean checkpoint?"),
                    laplace("title", "titel", "1: titel is not a key", "did you mean title?"),
                    laplace("title = \"plain\"", "title = \"plain\"\ntolerance = 1e-3",
                            "2: tolerance is not a key", "it belongs in [method]"),
                    laplace("keep = 2", "snapshot_every = 2",
                            "18: [checkpoint] snapshot_every is not a key",
                            "it belongs in [output]"),
                    laplace("keep = 2", "precision = \"float64\"",
                            "18: [checkpoint] precision is not a key",
                            "it belongs in [grid] or [output]"),
                    laplace("keep = 2", "colour = 2", "18: [checkpoint] colour is not a key",
                            "valid keys are every, every_minutes, keep"),
                    laplace("type = \"dirichlet\"", "typ = \"dirichlet\"",
                            "9: [boundary.all] typ is not a key", "did you mean type?"),
                    laplace("all = ", "x_uper = ", "9: [boundary] x_uper is not a key",
                            "did you mean x_upper?"),
                    laplace("value = 0.0", "[[initial.box]]\nlowr = [0, 0, 0]",
                            "12: [initial.box] lowr is not a key", "did you mean lower?"),
                    laplace("value = 0.0", "[[initial.gaussian]]\ncentre = [0, 0, 0]",
                            "12: [initial.gaussian] centre is not a key", "did you mean center?")));

/// The refusal of laplace_case, whose grid extends from 0 to (1, 2, 3), with probes appended.
Refusal probe(std::string const& lines, std::string const& start, std::string const& advice) {
  return {std::string(laplace_case) + lines, "case.toml:" + start, advice};
}

INSTANTIATE_TEST_SUITE_P(
    Probes, CaseRefusal,
    testing::Values(
        probe("[[probe]]\nname = \"a\"\nat = [0, 0, 3.1]", "23: [probe] at is 3.1 on the z axis",
              "outside the grid (which extends from 0 to 3)"),
        probe("[[probe]]\nname = \"a\"\nat = [0, 0]", "23: [probe] at has 2 entries", "needs 3"),
        probe("[[probe]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [1, -1, 0]\npoints = 5",
              "24: [probe] to is -1 on the y axis", "outside the grid"),
        probe("[[probe]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [1, 1, 0]",
              "21: [probe] points is missing", "points = 101"),
        probe("[[probe]]\nname = \"a\"\nfrom = [0, 0, 0]\npoints = 7", "21: [probe] to is missing",
              "a position"),
        probe("[[probe]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [1, 1, 0]\npoints = 1",
              "25: [probe] points is 1", "at least 2"),
        probe("[[probe]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 0]\npoints = 2",
              "24: [probe] to is the same position as from", "write at"),
        probe("[[probe]]\nname = \"a\"\nat = [0, 0, 0]\nfrom = [0, 0, 0]",
              "24: [probe] from conflicts with at", "either a point: at, a line"),
        probe("[[probe]]\nname = \"a\"\nplane = { x = 0 }\npoints = 3",
              "24: [probe] points conflicts with plane", "or a plane"),
        probe("[[probe]]\nname = \"a\"", "21: [probe] at is missing", "or plane"),
        probe("[[probe]]\nat = [0, 0, 0]", "21: [probe] name is missing", "a string in quotes"),
        probe("[[probe]]\nname = \"a/b\"\nat = [0, 0, 0]", "22: [probe] name is \"a/b\"",
              "only ASCII letters, digits, - and _"),
        probe("[[probe]]\nname = \"a\"\nat = [0, 0, 0]\n[[probe]]\nname = \"a\"\nplane = {x = 1}",
              "25: [probe] name is \"a\"", "the name of another probe"),
        probe("[[probe]]\nname = \"a\"\nplane = { z = 3.01 }", "23: [probe.plane] z is 3.01",
              "which extends from 0 to 3"),
        probe("[[probe]]\nname = \"a\"\nplane = { x = 1, z = 3 }",
              "23: [probe] plane names two axes", "perpendicular to the plane"),
        probe("[[probe]]\nname = \"a\"\nplane = {}", "23: [probe] plane names no axis", "x = 0.5"),
        probe("[[probe]]\nname = \"a\"\nplan = { z = 3 }", "23: [probe] plan is not a key",
              "belongs in [run]"),
        probe("[[probe]]\nname = \"a\"\nfrm = [0, 0, 0]", "23: [probe] frm is not a key",
              "did you mean from?"),
        probe("[probe]\nname = \"a\"", "21: probe is a table", "write [[probe]]"),
        laplace("directory = \"plain\"", "quantities = [\"mean\", \"mean\"]",
                "16: [output] quantities names mean twice", ""),
        laplace("directory = \"plain\"", "quantities = [\"heat\"]",
                "16: [output] quantities contains heat, but laplace has no heat capacity",
                "write integral"),
        laplace("directory = \"plain\"", "quantities = [\"median\"]",
                "16: [output] quantities is \"median\"", "valid values are \"integral\", \"mean\""),
        laplace("directory = \"plain\"",
                "quantities = [\"flux\"]\n[[fixed]]\nname = \"1\"\nvalue = 1\n"
                "where = \"x > 0.5\"\n[[fixed]]\nvalue = 2\nwhere = \"x < 0.5\"",
                "16: [output] quantities contains flux, but a [[fixed]] is named \"1\"",
                "give that one a name"),
        Refusal{std::string(diffusion_case) + "[[probe]]\nname = \"a\"\nplane = { z = 0 }",
                "case.toml:17: [probe.plane] z is not an axis of this grid", "which is 2D"},
        Refusal{std::string(laplace_case) + "[[probe]]\nname = \"a\"\nat = [0, 0, 0]",
                "--set probe.0.at=[5,0,0]: [probe] at is 5",
                "outside",
                {"probe.0.at=[5,0,0]"}}));

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, CaseRefusal,
    testing::Values(
        laplace("iterations = 20", "iterations = \"many\"",
                "14: [method] iterations is the string \"many\"",
                "needs a whole number, as in iterations = 1000, or an expression"),
        laplace("iterations = 20", "iterations = 20.0", "14: [method] iterations is 20.0",
                "write 20"),
        laplace("iterations = 20", "iterations = 20.5", "14: [method] iterations is 20.5",
                "as in iterations = 1000"),
        laplace("iterations = 20", "iterations = true", "14: [method] iterations is true",
                "a whole number"),
        laplace("iterations = 20", "iterations = 2026-11-20", "14: [method] iterations is a date",
                "a whole number"),
        laplace("points = [9, 10, 11]", "points = 9", "3: [grid] points is 9",
                "a list of whole numbers, as in points = [512, 512, 512]"),
        laplace("points = [9, 10, 11]", "points = [9,\n 10.0, 11]",
                "4: [grid] points contains 10.0", "write 10"),
        laplace("upper = [1.0, 2.0, 3.0]", "upper = [1.0, \"two\", 3.0]",
                "4: [grid] upper contains the string \"two\"", "a list of numbers"),
        laplace("upper = [1.0, 2.0, 3.0]", "upper = [1.0, nan, 3.0]", "4: [grid] upper is nan",
                "finite"),
        laplace("value = 0.0", "value = -inf", "11: [initial] value is -inf", "finite"),
        laplace("value = 0.0", "value = [1.0]", "11: [initial] value is a list",
                "a number, an expression in quotes, or { file, dataset }"),
        laplace("all = { type = \"dirichlet\", value = 1.0 }", "all = \"dirichlet\"",
                "9: [boundary] all is the string \"dirichlet\"", "as in all = { type ="),
        laplace("[run]\ndevice = \"cpu\"", "[[run]]\ndevice = \"cpu\"", "19: run is a list",
                "[run] on a line of its own"),
        laplace("value = 0.0", "[initial.box]", "11: [initial] box is a table",
                "write [[initial.box]]"),
        laplace("\"plain\"\n[grid]", "7\n[grid]", "1: title is 7", "a string in quotes"),
        laplace("directory = \"plain\"", "picture = \"yes\"", "16: [output] picture is \"yes\"",
                "valid values are true, false, \"png\", \"svg\", \"pdf\""),
        laplace("directory = \"plain\"", "picture = 1", "16: [output] picture is 1",
                "true, false or a string in quotes, as in picture = \"svg\""),
        laplace("directory = \"plain\"", "contours = \"many\"",
                "16: [output] contours is the string \"many\"",
                "true, false or a whole number, as in contours = true"),
        laplace("directory = \"plain\"", "picture_slice = { z = 5.0 }",
                "16: [output.picture_slice] z is 5, outside the grid", "extends from"),
        laplace("directory = \"plain\"", "picture_slice = {}",
                "16: [output] picture_slice names no plane", "{ z = 0.5 }"),
        laplace("directory = \"plain\"", "picture_range = [1.0, 1.0]",
                "16: [output] picture_range needs two numbers", "[0.0, 100.0]"),
        laplace("directory = \"plain\"", "contours = 101", "16: [output] contours is 101",
                "true, false or 0 … 100"),
        laplace("directory = \"plain\"", "contours = -1", "16: [output] contours is -1",
                "at least 0"),
        laplace("directory = \"plain\"", "colour_map = \"jet\"",
                "16: [output] colour_map is \"jet\"", "known are isotherm, viridis"),
        laplace("directory = \"plain\"", "picture_width = 20", "16: [output] picture_width is 20",
                "200 … 8000 pixels"),
        diffusion("[method]", "[output]\nfilm = true\npicture = \"svg\"\n[method]",
                  "13: [output] film joins pictures", "needs picture = true or \"png\""),
        laplace("directory = \"plain\"", "film = true", "16: [output] film needs a problem in time",
                "leave film out"),
        laplace("directory = \"plain\"", "length_unit = \"furlong\"",
                "16: [output] length_unit is \"furlong\" (known are km, m, cm", "length_scale"),
        laplace("directory = \"plain\"", "length_scale = 1.0",
                "15: [output] length_unit is missing", "as in length_unit = \"mm\""),
        laplace("directory = \"plain\"", "length_unit = \"mm\"\nlength_scale = 0.0",
                "17: [output] length_scale is 0", "above 0"),
        laplace("directory = \"plain\"",
                "picture_box = { lower = [9.0, 0.0, 0.0], upper = [9.5, 1.0, 1.0] }",
                "16: [output.picture_box] lower and upper lie outside the grid", "extends from")));

INSTANTIATE_TEST_SUITE_P(
    Choices, CaseRefusal,
    testing::Values(
        laplace("\"jacobi\"", "\"jacoby\"", "13: [method] name is \"jacoby\"",
                "did you mean \"jacobi\"?"),
        laplace("\"laplace\"", "\"wave\"", "7: [equation] type is \"wave\"",
                "valid values are \"laplace\", \"poisson\", \"diffusion\""),
        laplace("\"float64\"", "\"double\"", "5: [grid] precision is \"double\"",
                "valid values are \"float32\", \"float64\""),
        laplace("\"dirichlet\"", "\"dirichelt\"", "9: [boundary.all] type is \"dirichelt\"",
                "did you mean \"dirichlet\"?"),
        laplace("iterations = 20", "iterations = 20\nnorm = \"l1\"", "15: [method] norm is \"l1\"",
                "\"max\""),
        laplace("\"cpu\"", "\"gpu\"", "20: [run] device is \"gpu\"", "\"cuda\""),
        laplace("\"cpu\"", "\"cpu\"\nwall_time = \"23:60:00\"",
                "21: [run] wall_time is \"23:60:00\"", "as in \"23:50:00\""),
        laplace("\"cpu\"", "\"cpu\"\nwall_time = \"00:00:00\"",
                "21: [run] wall_time is \"00:00:00\"", "must be above 0"),
        laplace("\"cpu\"", "\"cpu\"\nwall_time = \"1-24:00:00\"",
                "21: [run] wall_time is \"1-24:00:00\"", "\"1-23:50:00\""),
        laplace("\"cpu\"", "\"cpu\"\npatience = \"10 min\"", "21: [run] patience is \"10 min\"",
                "as in \"00:10:00\""),
        laplace("\"cpu\"", "\"cpu\"\npatience = \"00:00:00\"", "21: [run] patience is \"00:00:00\"",
                "or 0"),
        laplace("\"cpu\"", "\"cpu\"\npatience = 5", "21: [run] patience is \"5\"", "\"00:10:00\""),
        laplace("\"cpu\"", "\"cpu\"\nwall_time = 3600", "21: [run] wall_time is ", "\"23:50:00\""),
        laplace("device = \"cpu\"", "transport = \"pigeon\"", "20: [run] transport is \"pigeon\"",
                "\"staged\""),
        laplace("directory = \"plain\"", "fields = [\"u\", \"slope\"]",
                "16: [output] fields is \"slope\"", "\"gradient\""),
        diffusion("0.002", "\"stabel\"", "13: [method] time_step is \"stabel\"",
                  "did you mean \"stable\"?")));

INSTANTIATE_TEST_SUITE_P(
    Grids, CaseRefusal,
    testing::Values(laplace("points = [9, 10, 11]\n", "", "2: [grid] points is missing", "1 to 3"),
                    laplace("points = [9, 10, 11]", "points = [9, 9, 9, 9]",
                            "3: [grid] points has 4 entries", "1 to 3"),
                    laplace("points = [9, 10, 11]", "points = [9, 10, 0]",
                            "3: [grid] points is 0 on the z", "at least 1"),
                    laplace("points = [9, 10, 11]", "points = [9, 2, 11]",
                            "3: [grid] points is 2 on the y", "at least 3"),
                    laplace("points = [9, 10, 11]", "points = [9, 10]",
                            "4: [grid] upper has 3 entries", "needs 2"),
                    laplace("points = [9, 10, 11]", "points = [2000000000, 2000000000, 2000000000]",
                            "3: [grid] points: ", "at most 2^60 points"),
                    laplace("upper = [1.0, 2.0, 3.0]", "upper = [1.0, -2.0, 3.0]",
                            "4: [grid] upper is -2 on the y", "more than lower, 0"),
                    laplace("upper = [1.0, 2.0, 3.0]",
                            "lower = [1e20, 0, 0]\nupper = [1.0000000000000002e20, 2.0, 3.0]",
                            "3: [grid] points: ", "coincide"),
                    // Coordinates are multiples of 1/8 there, and the spacing is 1/16.
                    laplace("upper = [1.0, 2.0, 3.0]",
                            "lower = [1e15, 0, 0]\nupper = [1000000000000000.5, 2.0, 3.0]",
                            "3: [grid] points: ", "coincide"),
                    laplace("upper = [1.0, 2.0, 3.0]", "upper = [1e-200, 2.0, 3.0]",
                            "4: [grid] upper is so close to", "another unit"),
                    laplace("upper = [1.0, 2.0, 3.0]", "upper = [1e200, 2.0, 3.0]",
                            "4: [grid] upper is so close to", "another unit"),
                    laplace("upper = [1.0, 2.0, 3.0]", "upper = [1e100, 1e-100, 3.0]",
                            "4: [grid] upper makes the spacings", "other lengths")));

INSTANTIATE_TEST_SUITE_P(
    GridsTooLargeForAnyMemory, CaseRefusal,
    testing::Values(laplace("points = [9, 10, 11]", "points = [1048576, 1048576, 1048576]",
                            "3: [grid] points makes 1152921504606846976 points", "smaller grid"),
                    laplace("points = [9, 10, 11]", "points = [1073741824, 16384, 17]",
                            "3: [grid] points makes 299067162755072 points", "smaller grid"),
                    Refusal{"[grid]\ngeometry = \"spherical\"\npoints = [1000000000000]\n"
                            "[equation]\ntype = \"laplace\"\n[boundary]\n"
                            "x_upper = { type = \"dirichlet\" }\n[method]\ntolerance = 1e-6\n",
                            "case.toml:3: [grid] points is 1000000000000 on the x axis, a radius",
                            "at most 4194304"}));

constexpr char const* range_of_numbers = "numbers are at most 1.8e308 in magnitude";

INSTANTIATE_TEST_SUITE_P(
    NumbersOutOfRange, CaseRefusal,
    testing::Values(laplace("upper = [1.0, 2.0, 3.0]", "upper = [1.0, -1e400, 3.0]",
                            "4: 1e400 is out of range", range_of_numbers),
                    laplace("\"laplace\"", "\"poisson\"\nsource = 1_0e399  # 1e400",
                            "8: 10e399 is out of range", range_of_numbers),
                    set({"grid.upper=[1e400, 2, 3]"},
                        "--set grid.upper=[1e400, 2, 3]: 1e400 is out of range", range_of_numbers),
                    set({"equation.type=poisson", "equation.source=1e400"},
                        "--set equation.source=1e400: 1e400 is out of range", range_of_numbers),
                    laplace("\"laplace\"", "\"poisson\"\nsource = \"x*1e400 + 1\"",
                            "8: [equation] source: \"x*1e400 + 1\": 1e400 is out of range",
                            range_of_numbers),
                    laplace("points = [9, 10, 11]", "points = [9, 99999999999999999999, 11]",
                            "3: 99999999999999999999 is out of range", "whole numbers are at most"),
                    set({"grid.points=[9, 99999999999999999999, 11]"},
                        "--set grid.points=[9, 99999999999999999999, 11]: 99999999999999999999 is",
                        "whole numbers are at most")));

INSTANTIATE_TEST_SUITE_P(
    Equations, CaseRefusal,
    testing::Values(
        laplace("type = \"laplace\"\n", "", "6: [equation] type is missing", "diffusion"),
        laplace("\"laplace\"", "\"laplace\"\nsource = 1.0", "8: [equation] source does not belong",
                "poisson"),
        laplace("\"laplace\"", "\"laplace\"\ndiffusivity = 1.0",
                "8: [equation] diffusivity applies only to", "leave it out"),
        laplace("\"laplace\"", "\"poisson\"\nsource = \"x*t\"", "8: [equation] source: \"x*t\"",
                "depends on t"),
        laplace("\"laplace\"", "\"poisson\"\nsource = \"sin(q)\"",
                "8: [equation] source: \"sin(q)\"", "\"q\" is not known"),
        laplace("\"laplace\"", "\"poisson\"\nsource = \"1/(x - 0.5)\"",
                "8: [equation] source is not finite in float64 at x = 0.5", ""),
        diffusion("diffusivity = 1.0", "diffusivity = 0.0", "6: [equation] diffusivity is 0",
                  "above 0"),
        diffusion("diffusivity = 1.0", "source = \"z\"", "6: [equation] source: \"z\"",
                  "grid is 2D"),
        // Points of a Neumann face are unknown, so their initial values must be valid.
        Refusal{"[grid]\npoints = [5, 5]\nlower = [0.0, 0.0]\nupper = [1.0, 1.0]\n"
                "[equation]\ntype = \"diffusion\"\n[boundary]\nall = { type = \"neumann\" }\n"
                "[initial]\nvalue = \"1/x\"\n[method]\nsteps = 1\n",
                "case.toml:10: [initial] value is not finite", "x = 0"},
        // A message about a grid of one axis names that axis only.
        Refusal{"[grid]\npoints = [5]\n[equation]\ntype = \"poisson\"\n[boundary]\n"
                "all = { type = \"dirichlet\" }\n[[source]]\npower = 1.0\n"
                "box = { lower = [2.0], upper = [3.0] }\n",
                "case.toml:9: [source] box covers no part of the grid",
                "(the grid has x from 0 to 1; the box has x from 2 to 3)"}));

INSTANTIATE_TEST_SUITE_P(
    Boundaries, CaseRefusal,
    testing::Values(
        Refusal{"[grid]\npoints = [5, 5]\n[equation]\ntype = \"laplace\"\n",
                "case.toml: [boundary] x_lower has no boundary condition", "all ="},
        laplace("all =", "x =", "8: [boundary] y_lower has no boundary condition", "y_lower = {"),
        laplace("type = \"dirichlet\", value = 1.0", "value = 1.0",
                "9: [boundary.all] type is missing", "neumann"),
        laplace("[initial]", "z = { type = \"periodic\", value = 0.0 }\n[initial]",
                "10: [boundary.z] value has no meaning", "leave it out"),
        laplace("[initial]", "z_upper = { type = \"periodic\" }\n[initial]",
                "10: [boundary] z_upper is periodic, but z_lower is not", "both faces"),
        laplace("value = 1.0", "value = \"t\"", "9: [boundary.all] value: \"t\"", "depends on t"),
        laplace("value = 1.0", "value = \"x = 1\"", "9: [boundary.all] value: \"x = 1\"",
                "write =="),
        laplace("value = 1.0", "value = \"1/y\"", "9: [boundary.all] value is not finite", "y = 0"),
        laplace("type = \"dirichlet\", value = 1.0", "type = \"neumann\"",
                "9: [boundary] all gives no face a value", "dirichlet"),
        diffusion("[initial]", "z = { type = \"periodic\" }\n[initial]",
                  "10: [boundary] z is a face of a 3D grid", "2 entries")));

INSTANTIATE_TEST_SUITE_P(
    InitialStates, CaseRefusal,
    testing::Values(
        laplace("value = 0.0", "file = \"u.h5\"", "10: [initial] dataset is missing", "\"/u\""),
        laplace("value = 0.0", "file = \"u.h5\"\nresample = true",
                "10: [initial] dataset is missing", "NAME.vtkhdf, do not need it"),
        laplace("value = 0.0", "dataset = \"/u\"", "11: [initial] dataset needs the key file",
                "u.h5"),
        laplace("value = 0.0", "resample = true", "11: [initial] resample needs the key file",
                ".vtkhdf"),
        laplace("value = 0.0", "file = \"u.vtkhdf\"\nresample = 3", "12: [initial] resample is 3",
                "needs true, false or a string"),
        laplace("value = 0.0", "file = \"u.vtkhdf\"\nresample = \"cubc\"",
                "12: [initial] resample is \"cubc\"", "did you mean \"cubic\"?"),
        laplace("value = 0.0", "value = 0.0\nfile = \"u.h5\"\ndataset = \"/u\"",
                "11: [initial] value conflicts with file", "leave one of them out"),
        laplace("value = 0.0", "[[initial.box]]\nlower = [0, 0, 0]\nvalue = 1",
                "11: [initial.box] upper is missing", ""),
        laplace("value = 0.0", "[[initial.box]]\nlower = [0, 0]\nupper = [1, 1, 1]\nvalue = 1",
                "12: [initial.box] lower has 2 entries", "needs 3"),
        laplace("value = 0.0", "[[initial.box]]\nlower = [0, 1, 0]\nupper = [1, 1, 1]\nvalue = 1",
                "13: [initial.box] upper is 1 on the y axis", "more than lower"),
        laplace("value = 0.0", "[[initial.box]]\nlower = [5, 0, 0]\nupper = [6, 1, 1]\nvalue = 1",
                "12: [initial.box] lower and upper lie outside", "from 0 to 1"),
        laplace("value = 0.0", "[[initial.gaussian]]\ncenter = [0, 0, 0]\nwidth = 0.0\nheight = 1",
                "13: [initial.gaussian] width is 0", "above 0"),
        laplace("value = 0.0", "[[initial.gaussian]]\ncenter = [0, 0, 0]\nwidth = 0.1",
                "11: [initial.gaussian] height is missing", ""),
        laplace("value = 0.0",
                "[[initial.gaussian]]\ncount = 2000000\nseed = 1\nwidth = 0.1\nheight = 1",
                "12: [initial.gaussian] count creates more than 1000000", "smaller"),
        laplace("value = 0.0",
                "[[initial.gaussian]]\ncount = 5\nseed = 4294967296\nwidth = 0.1\nheight = 1",
                "13: [initial.gaussian] seed is 4294967296", "at most 4294967295"),
        laplace("value = 0.0", "[[initial.gaussian]]\ncount = 5\nwidth = 0.1\nheight = 1",
                "11: [initial.gaussian] seed is missing", "seed = 1"),
        laplace("value = 0.0",
                "[[initial.gaussian]]\nseed = 5\ncenter = [0, 0, 0]\nwidth = 0.1\nheight = 1",
                "12: [initial.gaussian] seed needs the key count", ""),
        laplace("value = 0.0",
                "[[initial.gaussian]]\ncount = 5\nseed = 5\ncenter = [0, 0, 0]\nwidth = "
                "0.1\nheight = 1",
                "14: [initial.gaussian] center conflicts with count", "leave one of them out"),
        diffusion("\"sin(2*pi*x)\"", "\"t\"", "11: [initial] value: \"t\"", "depends on t"),
        diffusion("\"sin(2*pi*x)\"", "\"log(-1)\"", "11: [initial] value: \"log(-1)\"",
                  "not finite")));

INSTANTIATE_TEST_SUITE_P(
    Methods, CaseRefusal,
    testing::Values(laplace("iterations = 20\n", "", "12: [method] iterations is missing", "1000"),
                    laplace("iterations = 20", "iterations = -1", "14: [method] iterations is -1",
                            "at least 0"),
                    laplace("iterations = 20", "steps = 20",
                            "14: [method] steps belongs to \"ftcs\"", "iterations"),
                    laplace("\"jacobi\"", "\"ftcs\"", "13: [method] name is \"ftcs\"", "jacobi"),
                    laplace("iterations = 20", "iterations = 20\ntolerance = 1",
                            "15: [method] tolerance is 1 ", "between 0 and 1"),
                    laplace("iterations = 20", "iterations = 20\ntolerance = 0.0",
                            "15: [method] tolerance is 0 ", "above 0"),
                    laplace("iterations = 20", "iterations = 20\ntolerance = 1e-3\ncheck_every = 0",
                            "16: [method] check_every is 0", "at least 1"),
                    laplace("iterations = 20", "iterations = 20\ncheck_every = -5",
                            "15: [method] check_every is -5", "at least 0"),
                    diffusion("time_step", "name = \"jacobi\"\ntime_step",
                              "13: [method] name is \"jacobi\"", "ftcs"),
                    diffusion("steps = 7", "iterations = 7",
                              "14: [method] iterations belongs to \"jacobi\"", "steps or end_time"),
                    diffusion("steps = 7\n", "", "12: [method] steps is missing", "end_time"),
                    diffusion("steps = 7", "steps = 7\nend_time = 1.0",
                              "15: [method] end_time conflicts with steps",
                              "leave one of them out"),
                    diffusion("steps = 7", "end_time = 0", "14: [method] end_time is 0", "above 0"),
                    diffusion("steps = 7", "end_time = 1e200", "14: [method] end_time is 1e+200",
                              "too many to count"),
                    diffusion("0.002", "0.003",
                              "13: [method] time_step is 0.003, which is unstable",
                              "the largest stable time step is 0.0025"),
                    diffusion("0.002", "-0.002", "13: [method] time_step is -0.002", "above 0"),
                    diffusion("0.002", "0.002\nstable_fraction = 0.5",
                              "14: [method] stable_fraction needs time_step = \"stable\"", ""),
                    diffusion("0.002", "\"stable\"\nstable_fraction = 1.5",
                              "14: [method] stable_fraction is 1.5", "up to 1")));

/// The refusal of diffusion_case with a changed time step and an implicit method; line 13 has the
/// method's name.
Refusal implicit(std::string const& keys, std::string const& start, std::string const& advice) {
  return diffusion("time_step = 0.002", "name = \"backward_euler\"\n" + keys, start, advice);
}

INSTANTIATE_TEST_SUITE_P(
    ImplicitSteps, CaseRefusal,
    testing::Values(
        implicit("", "12: [method] time_step is missing", "a positive number"),
        implicit("time_step = 0.0", "14: [method] time_step is 0", "above 0"),
        implicit("time_step = -1.0", "14: [method] time_step is -1", "above 0"),
        implicit("time_step = nan", "14: [method] time_step is nan", ""),
        implicit("time_step = 1e-310", "14: [method] time_step", "units"),
        implicit("time_step = \"stable\"", "14: [method] time_step is \"stable\"",
                 "write a number"),
        implicit("time_step = 1.0\nstable_fraction = 0.5",
                 "15: [method] stable_fraction belongs to \"ftcs\"", "steps"),
        implicit("time_step = 1.0\niterations = 5", "15: [method] iterations belongs to \"jacobi\"",
                 "steps or end_time"),
        implicit("time_step = 1.0\npre = 9", "15: [method] pre is 9", "1 to 8"),
        implicit("time_step = 1.0\npost = 0", "15: [method] post is 0", "1"),
        implicit("time_step = 1.0\ncoarsest = 2", "15: [method] coarsest is 2",
                 "needs 3 to 71 points per axis in 2D"),
        implicit("time_step = 1.0\ncoarsest = 4294967300", "15: [method] coarsest is 4294967300",
                 "3 to 71"),
        laplace("\"jacobi\"", "\"jacobi\"\ncoarsest = 4",
                "14: [method] coarsest belongs to \"multigrid\"", "jacobi"),
        implicit("time_step = 1.0\nstep_solver = \"direct\"\npre = 2",
                 "15: [method] step_solver is \"direct\"", "no cycles"),
        implicit("time_step = 1.0\ncycle = \"U\"", "15: [method] cycle is \"U\"", "V"),
        implicit("time_step = 1.0\nstep_tolerance = 0.0", "15: [method] step_tolerance is 0",
                 "above 0"),
        implicit("time_step = 1.0\nstep_tolerance = 1.0", "15: [method] step_tolerance is 1",
                 "between 0 and 1"),
        diffusion("0.002", "0.002\nstep_tolerance = 0.1",
                  "14: [method] step_tolerance belongs to \"backward_euler\"", "ftcs"),
        diffusion("0.002", "0.002\npre = 2", "14: [method] pre belongs to \"multigrid\"", "ftcs"),
        laplace("name = \"jacobi\"", "name = \"direct\"\ncycle = \"W\"",
                "14: [method] cycle belongs to \"multigrid\"", "direct"),
        laplace("type = \"laplace\"\n[boundary]\nall = { type = \"dirichlet\", value = 1.0 "
                "}\n[initial]\nvalue = 0.0\n[method]\nname = \"jacobi\"",
                "type = \"laplace\"\nconductivity = \"1 + 9*step(x*y - 0.25)\"\n[boundary]\nall = "
                "{ type = "
                "\"dirichlet\", value = 1.0 }\n[initial]\nvalue = 0.0\n[method]\nname = \"direct\"",
                "14: [method] name is \"direct\"", "separable"),
        laplace("\"jacobi\"", "\"crank_nicolson\"", "13: [method] name is \"crank_nicolson\"",
                "jacobi")));

INSTANTIATE_TEST_SUITE_P(
    OutputAndRun, CaseRefusal,
    testing::Values(
        laplace("directory = \"plain\"", "directory = \" \"", "16: [output] directory is empty",
                "leave the key out"),
        laplace("\"plain\"\n[grid]", "\"a\\nb\"\n[grid]", "1: title contains a control character",
                "one line"),
        laplace("directory = \"plain\"", "cut = { lower = [0.13, 0, 0], upper = [0.24, 2, 3] }",
                "16: [output] cut contains no point of the grid on the x axis",
                "the nearest are at "),
        laplace("directory = \"plain\"", "snapshot_every = -1", "16: [output] snapshot_every is -1",
                "at least 0"),
        laplace("directory = \"plain\"", "compression = 10", "16: [output] compression is 10",
                "0 … 9"),
        laplace("directory = \"plain\"", "fields = []",
                "16: [output] fields does not include \"u\"", ""),
        laplace("directory = \"plain\"", "fields = [\"u\", \"u\"]",
                "16: [output] fields names u twice", ""),
        laplace("directory = \"plain\"", "fields = [\"u\", \"source\"]",
                "16: [output] fields includes \"source\"", "Laplace"),
        Refusal{with(with(laplace_case, "\"float64\"", "\"float32\""), "directory = \"plain\"",
                     "precision = \"float64\""),
                "case.toml:16: [output] precision is \"float64\"", "float32"},
        laplace("directory = \"plain\"", "cut = { lower = [0, 0, 0] }",
                "16: [output.cut] upper is missing", ""),
        laplace("directory = \"plain\"", "cut = { lower = [0.5, 0, 0], upper = [0.4, 1, 1] }",
                "16: [output.cut] upper is 0.4 on the x axis, which is below lower", ""),
        laplace("directory = \"plain\"", "cut = { lower = [5, 0, 0], upper = [6, 1, 1] }",
                "16: [output.cut] lower and upper lie outside",
                "on the x axis (which extends from 0 to 1)"),
        laplace("keep = 2", "keep = 0", "18: [checkpoint] keep is 0", "at least 1"),
        laplace("keep = 2", "every = -3", "18: [checkpoint] every is -3", "at least 0"),
        laplace("keep = 2", "every_minutes = -0.5", "18: [checkpoint] every_minutes is -0.5",
                "0 or more"),
        laplace("device = \"cpu\"", "decomposition = [2, 2]",
                "20: [run] decomposition has 2 entries", "needs 3"),
        laplace("device = \"cpu\"", "decomposition = [2, 0, 1]",
                "20: [run] decomposition divides an axis into 0",
                "1 to its number of points, 10")));

INSTANTIATE_TEST_SUITE_P(
    Overrides, CaseRefusal,
    testing::Values(
        set({"method.iteratons=50"}, "--set method.iteratons=50: [method] iteratons is not a key",
            "did you mean iterations?"),
        set({"method.iterations=many"},
            "--set method.iterations=many: [method] iterations is the string \"many\"",
            "a whole number"),
        set({"method.iterations=-1"}, "--set method.iterations=-1: [method] iterations is -1",
            "at least 0"),
        set({"boundary.all.value=1/q"},
            "--set boundary.all.value=1/q: [boundary.all] value: ", "\"q\" is not known"),
        set({"grid.points=[9, 10, 0]"}, "--set grid.points=[9, 10, 0]: [grid] points is 0", ""),
        set({"initial.box=[{lower=[0,0,0]}]"},
            "--set initial.box=[{lower=[0,0,0]}]: [initial.box] upper is missing", ""),
        set({"method.iterations"}, "--set method.iterations: no value", "KEY=VALUE"),
        set({"=5"}, "--set =5: \"\" is not a key", "KEY=VALUE"),
        set({"a b=5"}, "--set a b=5: \"a b\" is not a key", "KEY=VALUE"),
        set({"x = 1\ny=5"}, "--set x = 1 y=5: ", "x"),
        set({"method.iterations.most=5"},
            "--set method.iterations.most=5: method.iterations is 20 and has no key",
            "set method.iterations itself"),
        set({"grid.points.3=5"}, "--set grid.points.3=5: grid.points is a list of 3",
            "grid.points.0 … grid.points.2"),
        set({"grid.points.x=5"}, "--set grid.points.x=5: grid.points is a list of 3", "index"),
        set({"initial.box=[{lower=[0,0,0]}]", "initial.box.1.value=2"},
            "--set initial.box.1.value=2: initial.box is a list of 1",
            "the only entry is initial.box.0"),
        set({"material=[{name=\"a\"}, {name=\"b\"}]", "material.a.conductivity=2"},
            "--set material.a.conductivity=2: material is a list of 2",
            "select one by its index: material.0 (\"a\"), material.1 (\"b\")"),
        set({"material=[{name=\"a\", conductivity=2, box={lower=[0,0,0], upper=[1,1,0.5]}}, "
             "{name=\"a\", conductivity=3, box={lower=[0,0,0.5], upper=[1,1,1]}}]"},
            "--set material=",
            "but the conductivity differs (only parts of one material share a name)"),
        set({"material.0.name=q"}, "--set material.0.name=q: the case has no [[material]] number 0",
            ""),
        set({"boundary.patch.2.value=1"},
            "--set boundary.patch.2.value=1: the case has no [[boundary.patch]] number 2", ""),
        set({"grid.upper=[1, 2*pi, 1]"}, "--set grid.upper=[1, 2*pi, 1]: [grid] upper is",
            "quote each expression within the list")));

/// The message if only a run can detect that [run] plan is invalid.
std::string blamed(std::string const& text, std::vector<std::string> const& overrides) {
  Case const chosen = parse_case(text, "case.toml", overrides);
  try {
    blaming(chosen, "run.plan", [] { throw InputError("there is no such plan"); });
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing is wrong";
}

TEST(KeyAtFault, NamedWithLineAndValue) {
  std::string const text(laplace_case);
  auto const lines = std::to_string(1 + std::count(text.begin(), text.end(), '\n'));

  EXPECT_EQ(blamed(text + "plan = \"fast\"\n", {}),
            "case.toml:" + lines + ": [run] plan = \"fast\": there is no such plan");
  EXPECT_EQ(blamed(text, {"run.plan=fast"}),
            "--set run.plan=fast: [run] plan: there is no such plan");
  EXPECT_EQ(blamed(text, {}), "there is no such plan");
}

TEST(CaseRefusal, NamesTheGivenPath) {
  Refusal const refusal = laplace("iterations", "iteratons", "", "");

  try {
    parse_case(refusal.text, "/data/cases/plate.toml");
    FAIL();
  } catch (InputError const& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("/data/cases/plate.toml:14: [method]"));
  }
}

}  // namespace
}  // namespace isotherm::test
