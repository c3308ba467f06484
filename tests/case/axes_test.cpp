#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

#include "case/case.hpp"
#include "case/stretching.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Graded axes of a case: lists, stretching functions and files of coordinates.

namespace isotherm::test {
namespace {

Case laplace(std::vector<std::string> const& overrides, std::string const& file = "case.toml") {
  return parse_case(std::string(laplace_case), file, overrides);
}

std::vector<double> axis_of(std::vector<std::string> const& overrides, int axis) {
  Grid const grid = laplace(overrides).problem.grid;
  EXPECT_TRUE(grid.is_graded(axis));
  return coordinates_of(grid, axis);
}

std::vector<double> gaps_of(std::vector<double> const& coordinates) {
  std::vector<double> gaps(coordinates.size());
  std::adjacent_difference(coordinates.begin(), coordinates.end(), gaps.begin());
  gaps.erase(gaps.begin());
  return gaps;
}

std::string refusal(std::string const& text, std::vector<std::string> const& overrides = {}) {
  try {
    (void)parse_case(text, "case.toml", overrides);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal_of(std::vector<std::string> const& overrides) {
  return refusal(std::string(laplace_case), overrides);
}
/// Returns the message that refuses a table of the x axis in line 3.
std::string refusal_of_x(std::string const& table) {
  return refusal(with(laplace_case, "[grid]", "[grid]\nx = { " + table + " }"));
}

constexpr char const* nine = "grid.x.coordinates=[0, 0.1, 0.3, 0.6, 1, 1.5, 2.5, 4, '2*3']";

TEST(GradedAxes, UseListedCoordinates) {
  Case const chosen = laplace({nine, "!grid.upper"});
  Grid const& grid = chosen.problem.grid;
  EXPECT_EQ(coordinates_of(grid, 0), (std::vector<double>{0, 0.1, 0.3, 0.6, 1, 1.5, 2.5, 4, 6}));
  EXPECT_EQ(grid.points, (Extent3{9, 10, 11}));
  EXPECT_EQ(grid.lower[0], 0.0);
  EXPECT_EQ(grid.upper(0), 6.0);
  EXPECT_FALSE(grid.is_graded(1));
  EXPECT_EQ(grid.spacing[1], 1.0 / 9.0);
}

TEST(GradedAxes, KeepOtherAxesUniform) {
  Grid const even = laplace({}).problem.grid;
  Grid const grid = laplace({"grid.z.stretch=tanh", "grid.z.strength=2"}).problem.grid;
  for (int const axis : {0, 1}) {
    EXPECT_FALSE(grid.is_graded(axis));
    EXPECT_EQ(grid.spacing[axis], even.spacing[axis]);
    EXPECT_EQ(grid.lower[axis], even.lower[axis]);
  }
  EXPECT_EQ(grid.lower[2], 0.0);
  EXPECT_EQ(grid.upper(2), 3.0);
}

TEST(GradedAxes, DetermineThePointsIfAllAreListed) {
  std::string const lists = with(laplace_case, "points = [9, 10, 11]\nupper = [1.0, 2.0, 3.0]\n",
                                 "x = { coordinates = [0, 1, 3, 4] }\n"
                                 "y = { coordinates = [-1, 1, 3, 4, 8] }\n");
  Grid const grid = parse_case(lists, "case.toml").problem.grid;
  EXPECT_EQ(grid.dimension, 2);
  EXPECT_EQ(grid.points, (Extent3{4, 5, 1}));
  EXPECT_EQ(grid.lower[1], -1.0);
  EXPECT_EQ(parse_case(lists, "case.toml", {"grid.z.coordinates=[0, 1, 3]"}).problem.grid.points,
            (Extent3{4, 5, 3}));
}

TEST(GradedAxes, ConsistOfSegments) {
  std::vector<double> const two =
      axis_of({"grid.x.segments=[{to=0.4, points=2}, {to=1.0, points=4, ratio=8}]", "!grid.points",
               "grid.spacing=[0, 0.25, 0.5]", "!grid.upper"},
              0);
  ASSERT_EQ(two.size(), 7U);
  EXPECT_EQ(two[0], 0.0);
  EXPECT_EQ(two[1], 0.2);
  EXPECT_EQ(two[2], 0.4);
  EXPECT_EQ(two.back(), 1.0);
  std::vector<double> const gaps = gaps_of(two);
  EXPECT_NEAR(gaps[5] / gaps[2], 8.0, 1e-12);
  EXPECT_NEAR(gaps[4] / gaps[3], 2.0, 1e-12);
}

TEST(GradedAxes, SegmentsBeginAtTheLowerEnd) {
  EXPECT_EQ(
      axis_of({"grid.y.segments=[{to=0.5, points=3}, {to=2.0, points=6}]", "grid.lower=[0, -1, 0]",
               "!grid.points", "grid.spacing=[0.25, 0, 0.5]", "!grid.upper"},
              1),
      (std::vector<double>{-1, -0.5, 0, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2}));
}

TEST(GradedAxes, RefuseInvalidSegments) {
  auto const says = [](std::string const& table, std::string const& wanted) {
    EXPECT_NE(refusal_of_x(table).find(wanted), std::string::npos) << refusal_of_x(table);
  };
  says("segments = [{ to = 0.5 }]", "points is missing");
  says("segments = [{ points = 5 }]", "to is missing");
  says("segments = [{ to = 0.5, points = 0 }]", "points is 0");
  says("segments = [{ to = 0.5, points = 5 }, { to = 0.4, points = 3 }]", "to is 0.4");
  says("segments = [{ to = 0.5, points = 5, ratio = -1 }]", "ratio");
  says("segments = [{ to = 0.5, points = 100000000000 }]", "points is 100000000000");
  says("segments = [{ to = 0.5, points = 5 }], stretch = \"tanh\"", "conflicts with segments");
}

TEST(Grid, SpacingDeterminesThePoints) {
  Grid const grid =
      laplace({"!grid.points", "grid.spacing=[0.125, 0.1, 0.25]", "!grid.upper"}).problem.grid;
  EXPECT_EQ(grid.points, (Extent3{9, 11, 5}));
  EXPECT_FALSE(grid.is_graded());
  EXPECT_NE(refusal_of({"!grid.points", "grid.spacing=[0.3, 0.1, 0.25]", "!grid.upper"})
                .find("does not divide the length 1"),
            std::string::npos);
  EXPECT_NE(
      refusal_of({"!grid.points", "grid.spacing=[1e-300, 0.1, 0.25]"}).find("spacing is 1e-300"),
      std::string::npos);
  EXPECT_NE(refusal_of({"grid.spacing=[0.1, 0.1, 0.25]"}).find("conflicts with spacing"),
            std::string::npos);
}

TEST(GradedAxes, StretchByHyperbolicTangents) {
  auto const formula = [](std::string const& towards, double share, double strength) {
    double const d = strength;
    if (towards == "upper") return std::tanh(d * share) / std::tanh(d);
    if (towards == "lower") return 1.0 + std::tanh(d * (share - 1.0)) / std::tanh(d);
    return 0.5 * (1.0 + std::tanh(d * (2.0 * share - 1.0)) / std::tanh(d));
  };
  for (std::string const towards : {"lower", "upper", "both"}) {
    for (double const strength : {0.5, 2.0, 3.5}) {
      auto const found =
          axis_of({"grid.z.stretch=tanh", "grid.z.strength=" + std::to_string(strength),
                   "grid.z.towards=" + towards, "grid.lower=[0, 0, -1]"},
                  2);
      ASSERT_EQ(found.size(), 11U);
      for (std::size_t i = 0; i < found.size(); ++i) {
        double const share = static_cast<double>(i) / 10.0;
        EXPECT_NEAR(found[i], -1.0 + 4.0 * formula(towards, share, strength), 2e-15) << towards;
      }
    }
  }
  EXPECT_EQ(axis_of({"grid.z.stretch=tanh", "grid.z.strength=2"}, 2),
            axis_of({"grid.z.stretch=tanh", "grid.z.strength=2", "grid.z.towards=both"}, 2));
}

TEST(GradedAxes, StretchByARatio) {
  auto const gaps = [](std::string const& towards) {
    return gaps_of(axis_of(
        {"grid.z.stretch=geometric", "grid.z.strength=16", "grid.z.towards=" + towards}, 2));
  };
  double const growth = std::pow(16.0, 1.0 / 9.0);
  auto const from_lower = gaps("lower");
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_NEAR(from_lower[i] / from_lower[i - 1], growth, 1e-13);
  }
  EXPECT_NEAR(from_lower.back() / from_lower.front(), 16.0, 1e-12);
  auto const from_upper = gaps("upper");
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(from_upper[9 - i], from_lower[i], 1e-15);
  auto const both = gaps("both");
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(both[i], both[9 - i], 1e-15);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(both[i] / both[i - 1], 2.0, 1e-13);
  EXPECT_NEAR(both[4], both[5], 1e-15);
}

TEST(GradedAxes, EndExactlyAtTheGivenLimits) {
  for (Towards const towards : {Towards::lower, Towards::upper, Towards::both}) {
    for (StretchKind const kind : {StretchKind::tanh, StretchKind::geometric}) {
      for (std::int64_t const points : {2, 3, 4, 1001}) {
        auto const all = stretched({kind, 3.0, towards}, points, 0.1, 0.7);
        EXPECT_EQ(std::ssize(all), points);
        EXPECT_EQ(all.front(), 0.1);
        EXPECT_EQ(all.back(), 0.7);
        for (double const gap : gaps_of(all)) EXPECT_GT(gap, 0.0);
      }
    }
  }
}

#if !defined(ISOTHERM_EXACT)  // strict rounding gives other, but also reproducible bits
// Runs may resume on other machines, whose C library may round differently.
TEST(GradedAxes, SameBitsOnAllMachines) {
  EXPECT_EQ(stretched({StretchKind::tanh, 2.5, Towards::lower}, 5, 0.0, 1.0)[1],
            0x1.0e6ce689ea6ep-5);
  EXPECT_EQ(stretched({StretchKind::geometric, 10.0, Towards::both}, 8, 0.0, 1.0)[2],
            0x1.f8ddcbf3d31acp-4);
}
#endif

TEST(GradedAxes, RefuseIncompleteTables) {
  EXPECT_EQ(refusal_of_x("coordinates = [0, 0.5, 1]"),
            "case.toml:4: [grid] points is 9 on the x axis, which has 3 coordinates");
  EXPECT_EQ(
      refusal_of_x("coordinates = [0, 0.5, 0.5, 1]"),
      "case.toml:3: [grid.x] coordinates: the coordinates of the x axis do not ascend: number "
      "3 is 0.5, but the one before is 0.5");
  EXPECT_EQ(
      refusal_of_x("coordinates = [0]"),
      "case.toml:3: [grid.x] coordinates: the coordinates of the x axis are 1 (needs at least "
      "2)");
  EXPECT_EQ(refusal_of_x("coordinates = [0, 1], strength = 2"),
            "case.toml:3: [grid.x] strength conflicts with coordinates (leave one of them out)");
  EXPECT_EQ(refusal_of_x("stretch = \"tanh\", file = \"a.h5\""),
            "case.toml:3: [grid.x] file conflicts with stretch (leave one of them out)");
  EXPECT_EQ(refusal_of_x("strength = 2"),
            "case.toml:3: [grid.x] strength needs the key stretch, as in stretch = \"tanh\"");
  EXPECT_EQ(refusal_of_x("dataset = \"/x\""),
            "case.toml:3: [grid.x] dataset needs the key file, as in file = \"grid.h5\"");
  EXPECT_EQ(refusal_of_x("file = \"a.h5\""),
            "case.toml:3: [grid.x] dataset is missing (needs the name of a dataset in the file, as "
            "in dataset = "
            "\"/x\")");
  EXPECT_EQ(refusal_of_x("stretch = \"tanh\""),
            "case.toml:3: [grid.x] strength is missing (needs a number, as in strength = 2.0)");
  EXPECT_EQ(refusal_of_x("stretch = \"tanh\", strength = 0"),
            "case.toml:3: [grid.x] strength is 0 (needs more than 0 and at most 10)");
  EXPECT_EQ(refusal_of_x("stretch = \"geometric\", strength = 1"),
            "case.toml:3: [grid.x] strength is 1 (needs more than 1 and at most 1e+06: the ratio "
            "of the largest to the smallest spacing)");
  EXPECT_EQ(refusal_of_x("stretch = \"tahn\", strength = 1"),
            "case.toml:3: [grid.x] stretch is \"tahn\" (did you mean \"tanh\"? valid values are "
            "\"tanh\", "
            "\"geometric\")");
  EXPECT_EQ(refusal_of_x("stretch = \"tanh\", strength = 2, toward = \"lower\""),
            "case.toml:3: [grid.x] toward is not a key (did you mean towards?)");
  EXPECT_TRUE(refusal_of_x("").starts_with("case.toml:3: [grid] x does not define the points"));
  EXPECT_TRUE(refusal_of_x("stretch = \"tanh\", strength = 10")
                  .starts_with("case.toml:3: [grid.x] strength: the coordinates of the x axis have "
                               "spacings from "));
}

TEST(GradedAxes, RefuseContradictoryEnds) {
  EXPECT_EQ(refusal_of({nine}),
            "case.toml:4: [grid] upper is 1 on the x axis, but the coordinates there end at 6");
  EXPECT_EQ(refusal_of({nine, "grid.upper=[6, 2, 3]", "grid.lower=[-1, 0, 0]"}),
            "--set grid.lower=[-1, 0, 0]: [grid] lower is -1 on the x axis, but the coordinates "
            "there end at 0");
  EXPECT_EQ(refusal_of({nine, "grid.upper=[6, 2, 3]"}), "accepted");
}

TEST(GradedAxes, MustNotBePeriodicOrMissing) {
  std::string const stretch = R"(x = { stretch = "tanh", strength = 1 })";
  EXPECT_EQ(refusal(with(diffusion_case, "[grid]", "[grid]\n" + stretch)),
            "case.toml:3: [grid] x belongs to a periodic axis, which has a uniform spacing (leave "
            "it out)");
  EXPECT_EQ(refusal(with(diffusion_case, "[grid]", "[grid]\nz = { coordinates = [0, 1] }")),
            "case.toml:3: [grid] z is not an axis of this grid, which is 2D");
  EXPECT_EQ(refusal(with(laplace_case, "points = [9, 10, 11]", "x = { coordinates = [0, 1, 2] }")),
            "case.toml:2: [grid] points is missing (needs 1 to 3 whole numbers, as in points = "
            "[512, 512, 512])");
}

TEST(GradedAxes, ArePartOfTheFingerprint) {
  std::vector<std::string> const stretch{"grid.x.stretch=tanh", "grid.x.strength=2"};
  std::string const wanted = laplace(stretch).fingerprint;
  EXPECT_TRUE(fingerprint_differences(wanted, laplace(stretch).fingerprint).empty());
  auto const other = laplace({"grid.x.stretch=tanh", "grid.x.strength=2.0000001"}).fingerprint;
  auto const differences = fingerprint_differences(wanted, other);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_TRUE(differences.front().starts_with("[grid] x is \"coordinates, digest "));
  auto const even = fingerprint_differences(wanted, laplace({}).fingerprint);
  ASSERT_EQ(even.size(), 1U);
  EXPECT_NE(even.front().find("but the file has no such key"), std::string::npos) << even.front();
  // The same points as a list.
  std::string list;
  for (double const x : coordinates_of(laplace(stretch).problem.grid, 0)) {
    char text[40];
    (void)std::snprintf(text, sizeof text, "%.17g, ", x);
    list += text;
  }
  EXPECT_TRUE(
      fingerprint_differences(wanted, laplace({"grid.x.coordinates=[" + list + "]"}).fingerprint)
          .empty());
}

class CoordinateFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("isotherm_axes_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(std::vector<double> const& values, std::vector<hsize_t> const& shape) {
    hid_t const file =
        H5Fcreate((folder_ / "grid.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t const space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    hid_t const data =
        H5Dcreate2(file, "r", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
  }
  /// A case in the folder of the file.
  [[nodiscard]] Case read(std::string const& dataset = "/r") const {
    return laplace({"grid.y.file=grid.h5", "grid.y.dataset=" + dataset, "!grid.upper",
                    "!grid.points", nine, "grid.z.coordinates=[0, 1, 2]"},
                   (folder_ / "case.toml").string());
  }
  [[nodiscard]] std::string refusal(std::string const& dataset = "/r") const {
    try {
      (void)read(dataset);
    } catch (InputError const& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(CoordinateFile, DefinesThePointsOfAnAxis) {
  write({-1.0, 0.5, 0.75}, {3});
  Case const chosen = read();
  EXPECT_EQ(coordinates_of(chosen.problem.grid, 1), (std::vector<double>{-1.0, 0.5, 0.75}));
  EXPECT_EQ(chosen.problem.grid.points, (Extent3{9, 3, 3}));
  // The stored text of the case is valid in any folder.
  EXPECT_NE(chosen.text.find("[grid.y] file by its absolute path"), std::string::npos);
  EXPECT_EQ(parse_case(chosen.text, "elsewhere/case.toml").fingerprint, chosen.fingerprint);
}

TEST_F(CoordinateFile, RefusedWithoutAValidAxis) {
  std::string const place =
      "--set grid.y.file=grid.h5: [grid.y] file: " + (folder_ / "grid.h5").string();
  EXPECT_TRUE(refusal().starts_with(place)) << refusal();
  write({0.0, 1.0, 2.0, 3.0}, {2, 2});
  EXPECT_EQ(refusal(), place +
                           ", dataset \"/r\": its shape is (2, 2) (needs one axis, of at most "
                           "4194304 values)");
  EXPECT_EQ(refusal("/s"), place + ", dataset \"/s\": there is no such dataset in the file");
  write({0.0, 2.0, 1.0}, {3});
  EXPECT_EQ(refusal(),
            "--set grid.y.file=grid.h5: [grid.y] file: the coordinates of the y axis do "
            "not ascend: number 3 is 1, but the one before is 2");
}

}  // namespace
}  // namespace isotherm::test
