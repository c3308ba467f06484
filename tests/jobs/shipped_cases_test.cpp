#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "jobs/case/case.hpp"
#include "jobs/command_line/new_case.hpp"
#include "kernels/core/error.hpp"
#include "tests/support/face_names.hpp"

namespace isotherm::test {
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

TEST(Documentation, BeginsWithACaseThatRuns) {
  for (char const* const page : {"README.md", "docs/case-file.md"}) {
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

/// "tolerance" -> "tolerence" in that case.
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

TEST(Documentation, ShowsMistakesAsTheyAreAnswered) {
  std::string const page = contents("docs/case-file.md");
  for (std::string const& message :
       {refusal_of_warm_plate("tolerance", "tolerence"), refusal_of_warm_plate("1e-8", "1")}) {
    EXPECT_NE(page.find("\n" + message + "\n"), std::string::npos) << message;
  }
}

TEST(Documentation, RunsCasesThatThereAre) {
  for (char const* const page : {"README.md", "docs/case-file.md", "docs/reliability.md"}) {
    std::istringstream words(contents(page));
    for (std::string word, before; words >> word; before = word) {
      bool const runs = before == "run" && word.ends_with(".toml");
      bool const of_the_person = word == "case.toml" || word == "CASE.toml" || word == "mine.toml";
      EXPECT_TRUE(!runs || of_the_person || !contents(word).empty()) << page << ": " << word;
    }
  }
}

TEST(ShippedCases, HoldTheClassicSteadyProblem) {
  for (int const points : {512, 1024}) {
    Case const chosen = shipped("laplace-classic-" + std::to_string(points) + ".toml");
    EXPECT_EQ(chosen.problem.grid.points, (Extent3{points, points, points}));
    EXPECT_EQ(chosen.problem.precision, Precision::float32);
    EXPECT_EQ(chosen.method.iterations, 20);
    EXPECT_EQ(chosen.problem.boundary[z_lower].value.constant, 1.0);
    EXPECT_TRUE(chosen.problem.initial.value.is_zero());
  }
}

TEST(ShippedCases, HoldTheClassicTransientProblem) {
  Case const chosen = shipped("diffusion-classic.toml");

  EXPECT_EQ(chosen.problem.grid.spacing[0], 1.0 / 960);
  EXPECT_EQ(chosen.problem.precision, Precision::float64);
  EXPECT_EQ(chosen.method.iterations, 2000);
  EXPECT_NEAR(chosen.method.time_step_s, 0.25 / 960 / 960, 1e-21);
  EXPECT_EQ(chosen.problem.initial.boxes.at(0).upper[1], 0.75);
}

TEST(ShippedCases, AreAllReadable) {
  EXPECT_EQ(shipped("gaussians-500.toml").problem.initial.gaussians.size(), 500U);
  EXPECT_EQ(shipped("quickstart.toml").title, "quickstart");
  EXPECT_EQ(shipped("warm-plate.toml").title, "warm-plate");
  EXPECT_EQ(shipped("heat-spreader.toml").problem.equation, Equation::poisson);
  EXPECT_TRUE(shipped("ground-temperature.toml").problem.boundary[y_upper].value.varies_in_time);
}

TEST(ShippedCases, BuildTheCellarWithStepsFarBeyondTheStableOne) {
  Case const chosen = shipped("new-cellar.toml");
  EXPECT_EQ(chosen.method.name, "crank_nicolson");
  EXPECT_EQ(chosen.method.iterations, 1500);
  EXPECT_GT(chosen.method.time_step_s,
            600.0 * largest_stable_time_step(chosen.problem.grid, chosen.problem.diffusivity));
}

TEST(ShippedCases, HeatTheSpreaderWithTheirPower) {
  Case const chosen = shipped("heat-spreader.toml");
  Grid const& grid = chosen.problem.grid;
  double watts = 0.0;
  for (std::int64_t k = 0; k < grid.points.z; ++k) {
    double const share = k + 1 == grid.points.z ? 0.5 : 1.0;  // the insulated top halves its points
    for (std::int64_t j = 0; j < grid.points.y; ++j) {
      for (std::int64_t i = 0; i < grid.points.x; ++i) {
        watts += 400.0 * share * std::pow(0.0005, 3) *
                 chosen.problem.source(grid.coordinate(0, i), grid.coordinate(1, j),
                                       grid.coordinate(2, k), 0.0);
      }
    }
  }

  EXPECT_NEAR(watts, 200.0, 1e-6);
}

}  // namespace
}  // namespace isotherm::test
