#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/command_line/new_case.hpp"
#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/face_names.hpp"

// The command `new`, the cases of jobs/cases, and the examples in the documentation are valid and
// describe what they claim.

namespace isotherm::test {
using namespace app;
namespace {

class NewCase : public testing::TestWithParam<char const*> {};

TEST_P(NewCase, IsReadyToRun) {
  Case const chosen = parse_case(new_case(GetParam()), "case.toml");

  EXPECT_STREQ(name(chosen.problem.equation), GetParam());
  EXPECT_GT(chosen.method.iterations, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NewCase, testing::Values("laplace", "poisson", "diffusion"));

TEST(NewCase, NamesTheNearestKind) {
  try {
    new_case("diffussion");
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean diffusion?"), std::string::npos);
  }
}

std::string contents(std::filesystem::path const& path) {
  auto const root = std::filesystem::path(ISOTHERM_SOURCE_DIR);
  std::ifstream file(root / path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Case shipped(std::string const& name) {
  return parse_case(contents(std::filesystem::path("jobs/cases") / name), name);
}

TEST(Documentation, FirstExampleRuns) {
  for (char const* const page : {"README.md", "docs/reference/case-file.md"}) {
    std::string const text = contents(page);
    auto const begin = text.find("```toml\n") + 8;

    Case const chosen =
        parse_case(text.substr(begin, text.find("```", begin) - begin), "case.toml");

    EXPECT_EQ(chosen.title, "warm-plate") << page;
    EXPECT_EQ(text.substr(begin, text.find("```", begin) - begin),
              contents("jobs/cases/warm-plate.toml"))
        << page;
  }
}

/// Returns the message for the warm-plate case in which `from` is replaced by `to`, such as
/// "tolerance" by "tolerence".
std::string refusal_of_warm_plate(std::string const& from, std::string const& to) {
  std::string text = contents("jobs/cases/warm-plate.toml");
  text.replace(text.find(from), from.size(), to);
  try {
    (void)parse_case(text, "warm-plate.toml");
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing is wrong";
}

TEST(Documentation, ShowsActualErrorMessages) {
  std::string const page = contents("docs/reference/case-file.md");
  for (std::string const& message :
       {refusal_of_warm_plate("tolerance", "tolerence"), refusal_of_warm_plate("1e-8", "1")}) {
    EXPECT_NE(page.find("\n" + message + "\n"), std::string::npos) << message;
  }
}

/// Returns README.md and all pages of docs/, as paths from the root of the source tree.
std::vector<std::string> pages() {
  auto const root = std::filesystem::path(ISOTHERM_SOURCE_DIR);
  std::vector<std::string> all{"README.md"};
  for (auto const& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path().lexically_relative(root));
  }
  return all;
}

TEST(Documentation, NamesExistingCases) {
  for (std::string const& page : pages()) {
    std::istringstream words(contents(page));
    for (std::string word, before; words >> word; before = word) {
      bool const is_shipped = word.starts_with("jobs/cases/") && word.ends_with(".toml");
      EXPECT_TRUE(before != "run" || !is_shipped || !contents(word).empty())
          << page << ": " << word;
    }
  }
}

TEST(ShippedCases, IncludeTheClassicSteadyProblem) {
  for (int const points : {512, 1024}) {
    Case const chosen = shipped("laplace-classic-" + std::to_string(points) + ".toml");
    EXPECT_EQ(chosen.problem.grid.points, (Extent3{points, points, points}));
    EXPECT_EQ(chosen.problem.precision, Precision::float32);
    EXPECT_EQ(chosen.method.iterations, 20);
    EXPECT_EQ(chosen.problem.boundary[z_lower].value.constant, 1.0);
    EXPECT_TRUE(chosen.problem.initial.value.is_zero());
  }
}

TEST(ShippedCases, IncludeTheClassicTransientProblem) {
  Case const chosen = shipped("diffusion-classic.toml");

  EXPECT_EQ(chosen.problem.grid.spacing[0], 1.0 / 960);
  EXPECT_EQ(chosen.problem.precision, Precision::float64);
  EXPECT_EQ(chosen.method.iterations, 2000);
  EXPECT_NEAR(chosen.method.time_step_s, 0.25 / 960 / 960, 1e-21);
  EXPECT_EQ(chosen.problem.initial.boxes.at(0).upper[1], 0.75);
}

/// g(x, y) = ∫ exp(u) dz of the initial field of Gaussians, by the trapezoidal rule on the grid.
std::vector<double> integrals_along_z(Problem const& problem) {
  Grid const& grid = problem.grid;
  auto const points = static_cast<std::size_t>(grid.points.x);
  std::vector<double> field(points * points * points);
  std::array<std::vector<double>, 3> factors{};
  for (Gaussian const& gaussian : problem.initial.gaussians) {
    for (int axis = 0; axis < 3; ++axis) {
      factors.at(axis).resize(points);
      for (std::size_t i = 0; i < points; ++i) {
        double const distance =
            grid.lower[axis] + static_cast<double>(i) * grid.spacing[axis] - gaussian.center[axis];
        factors.at(axis)[i] = std::exp(-0.2 * distance * distance);
      }
    }
    for (std::size_t column = 0; column < points * points; ++column) {
      double const in_plane = 0.1 * factors[0][column / points] * factors[1][column % points];
      for (std::size_t k = 0; k < points; ++k) {
        field[column * points + k] += in_plane * factors[2][k];
      }
    }
  }
  std::vector<double> integrals(points * points);
  for (std::size_t column = 0; column < integrals.size(); ++column) {
    for (std::size_t k = 0; k < points; ++k) {
      double const weight = k == 0 || k + 1 == points ? 0.5 : 1.0;
      integrals[column] += weight * grid.spacing[2] * std::exp(field[column * points + k]);
    }
  }
  return integrals;
}

TEST(ShippedCases, IncludeThePublishedGaussians) {
  Problem const problem = shipped("gaussians-500.toml").problem;
  std::vector<Gaussian> const& gaussians = problem.initial.gaussians;
  ASSERT_EQ(gaussians.size(), 500U);
  EXPECT_EQ(gaussians[0].center,
            (PerAxis<double>{-7.047940561785008, -1.438811672157465, 6.904801679288941}));
  EXPECT_EQ(gaussians[1].center,
            (PerAxis<double>{0.37611451357683556, 7.50911399688059, 3.216840011465525}));
  EXPECT_EQ(gaussians[499].center,
            (PerAxis<double>{3.1931926442243146, -7.306980474109208, -4.304632843332219}));
  for (Gaussian const& gaussian : gaussians) {
    ASSERT_NEAR(1.0 / (2.0 * gaussian.width * gaussian.width), 0.2, 1e-15);
    ASSERT_EQ(gaussian.height, 0.1);
  }

  std::vector<double> const g = integrals_along_z(problem);
  auto const [minimum, largest] = std::minmax_element(g.begin(), g.end());
  EXPECT_NEAR(*minimum, 20.955, 5e-4);
  EXPECT_NEAR(*largest, 33.484, 5e-4);
}

TEST(ShippedCases, AreValid) {
  EXPECT_EQ(shipped("quickstart.toml").title, "quickstart");
  EXPECT_EQ(shipped("warm-plate.toml").title, "warm-plate");
  EXPECT_EQ(shipped("heat-spreader.toml").problem.equation, Equation::poisson);
  EXPECT_TRUE(shipped("ground-temperature.toml").problem.boundary[y_upper].value.varies_in_time);
}

TEST(ShippedCases, CellarStepsExceedTheStableOne) {
  Case const chosen = shipped("new-cellar.toml");
  EXPECT_EQ(chosen.method.name, "crank_nicolson");
  EXPECT_EQ(chosen.method.iterations, 1500);
  EXPECT_GT(chosen.method.time_step_s,
            600.0 * largest_stable_time_step(chosen.problem.grid, chosen.problem.diffusivity));
}

/// The total power: Σ f V over the points, with half volumes at faces.
double power_of(Problem const& problem) {
  double watts = 0.0;
  Grid const& grid = problem.grid;
  for (std::int64_t k = 0; k < grid.points.z; ++k)
    for (std::int64_t j = 0; j < grid.points.y; ++j)
      for (std::int64_t i = 0; i < grid.points.x; ++i) {
        Index3 const p{i, j, k};
        double volume = 1.0;
        PerAxis<double> at{};
        for (int axis = 0; axis < 3; ++axis) {
          bool const end = p[axis] == 0 || p[axis] == grid.points[axis] - 1;
          volume *= grid.spacing[axis] * (end ? 0.5 : 1.0);
          at[axis] = grid.coordinate(axis, p[axis]);
        }
        watts += volume * problem.source(at[0], at[1], at[2], 0.0);
      }
  return watts;
}

TEST(ShippedCases, SpreaderHasItsPower) {
  EXPECT_NEAR(power_of(shipped("heat-spreader.toml").problem), 200.0, 1e-9);
}

TEST(ShippedCases, ChipHasItsLayersAndPower) {
  Problem const problem = shipped("chip-on-board.toml").problem;
  EXPECT_NEAR(power_of(problem), 5.0, 1e-9);

  auto const conductivity = [&](int axis, double x, double z) {
    return problem.medium.conductivity[axis](x, 0.0, z, 0.0);
  };
  EXPECT_EQ(conductivity(0, 0.0, 0.0015), 18.0);   // board
  EXPECT_EQ(conductivity(2, 0.0, 0.0015), 15.0);   // its vias
  EXPECT_EQ(conductivity(2, 0.02, 0.0015), 0.3);   // without vias
  EXPECT_EQ(conductivity(2, 0.0, 0.0016), 390.0);  // pad
  EXPECT_EQ(conductivity(2, 0.0, 0.0021), 120.0);  // silicon
  EXPECT_EQ(conductivity(2, 0.0, 0.0022), 0.9);    // resin

  ASSERT_EQ(problem.medium.fixed.size(), 1U);
  FixedRegion const& air = problem.medium.fixed[0];
  EXPECT_TRUE(air.where.contains(0.02, 0.0, 0.0016));
  EXPECT_FALSE(air.where.contains(0.0, 0.0, 0.0026));
  EXPECT_EQ(air.film_coefficient, 40.0);
  EXPECT_EQ(condition_at(problem, Face{2, true}, 0.0, 0.0, 0.0026).kind, BoundaryKind::robin);
}

TEST(ShippedCases, PipeStaysWarmInFrozenGround) {
  Case const chosen = shipped("frozen-ground.toml");
  Problem const& problem = chosen.problem;
  EXPECT_EQ(chosen.method.iterations, 170);
  EXPECT_GT(chosen.method.time_step_s, 400.0 * largest_stable_time_step(problem));
  ASSERT_EQ(problem.medium.fixed.size(), 1U);
  FixedRegion const& water = problem.medium.fixed[0];
  EXPECT_TRUE(water.where.contains(0.3, -2.0, 0.0));
  EXPECT_FALSE(water.where.contains(0.35, -2.0, 0.0));
  double const year = 365.25;
  EXPECT_DOUBLE_EQ(water.value(0.0, -2.0, 0.0, 30.0), 6.0);
  EXPECT_DOUBLE_EQ(water.value(0.0, -2.0, 0.0, 30.0 + year / 2), 14.0);
  EXPECT_DOUBLE_EQ(problem.boundary[y_upper].value(0.0, 0.0, 0.0, 0.0), -15.0);
}

TEST(ShippedCases, ElectrodesDoNotTouch) {
  Problem const problem = shipped("electrodes.toml").problem;
  auto const& fixed = problem.medium.fixed;
  ASSERT_EQ(fixed.size(), 3U);
  std::string along;  // along the wall of the tubes
  for (std::int64_t i = 0; i < problem.grid.points.x; ++i) {
    char here = '.';
    for (FixedRegion const& electrode : fixed) {
      if (electrode.where.contains(problem.grid.coordinate(0, i), 11.0, 0.0)) {
        here = electrode.name[0];
      }
    }
    if (along.empty() || along.back() != here) along += here;
  }
  EXPECT_EQ(along, ".e.l.e.");
  EXPECT_EQ(fixed[1].value(0.0, 11.0, 0.0, 0.0), 900.0);
  EXPECT_EQ(problem.medium.conductivity[0](0.0, 25.0, 0.0, 0.0), 9.8);
}

}  // namespace
}  // namespace isotherm::test
