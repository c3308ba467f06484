#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "case/case.hpp"
#include "tests/case/case_texts.hpp"

// The fingerprint decides whether a file belongs to the same problem.

namespace isotherm::test {
namespace {

Case laplace(std::string_view from = "laplace", std::string_view to = "laplace") {
  return parse_case(with(laplace_case, from, to), "case.toml");
}

Case diffusion(std::string_view from = "wave", std::string_view to = "wave") {
  return parse_case(with(diffusion_case, from, to), "case.toml");
}

TEST(Fingerprint, IgnoresHowAProblemIsRun) {
  Case const plain = laplace();

  for (auto const& override :
       {"method.iterations=99", "method.tolerance=0.1", "run.device=cuda", "output.compression=3",
        "checkpoint.every=1", "title=other", "boundary.all.value=1", "run.plan_table=plans.toml",
        "run.mpi_device_memory=no"}) {
    Case const other = parse_case(std::string(laplace_case), "other.toml", {override});
    EXPECT_TRUE(fingerprint_differences(plain.fingerprint, other.fingerprint).empty()) << override;
  }
}

TEST(Fingerprint, NamesEachDifferingKey) {
  Case const plain = laplace();

  for (auto const& [override, says] :
       {std::pair{"grid.points.0=8", "[grid] points is [9,10,11], but the file has [8,10,11]"},
        std::pair{"grid.upper.1=4.5", "[grid] spacing"},
        std::pair{"grid.lower=[0, 0.5, 0]", "[grid] lower"},
        std::pair{"grid.precision=float32", "[grid] precision is \"float64\""},
        std::pair{"equation.type=poisson", "[equation] type is \"laplace\""},
        std::pair{"boundary.y_lower={type=\"neumann\"}", "[boundary] y_lower is \"dirichlet 1\""},
        std::pair{"boundary.all.value=x", "the file has \"dirichlet x\""},
        std::pair{"initial.value=0.5", "[initial] value is \"0\", but the file has \"0.5\""},
        std::pair{"method.norm=max", "[method] norm is \"l2\""}}) {
    Case const other = parse_case(std::string(laplace_case), "other.toml", {override});
    auto const differences = fingerprint_differences(plain.fingerprint, other.fingerprint);
    ASSERT_FALSE(differences.empty()) << override;
    EXPECT_NE(differences[0].find(says), std::string::npos) << differences[0];
  }
}

TEST(Fingerprint, ContainsTheTimeStep) {
  auto const differences =
      fingerprint_differences(diffusion().fingerprint, diffusion("0.002", "0.001").fingerprint);

  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0], "[method] time_step is 0.002, but the file has 0.001");
}

TEST(Fingerprint, IgnoresTheEndOfTheRun) {
  EXPECT_EQ(diffusion("steps = 7", "end_time = 0.007").fingerprint, diffusion().fingerprint);
}

TEST(Fingerprint, NamesTheTimeStepThatAllowsResuming) {
  std::string const ended = diffusion("0.002", "0.00175").fingerprint;
  Case const longer = diffusion("steps = 7", "end_time = 0.014");
  ASSERT_EQ(fingerprint_differences(longer.fingerprint, ended).size(), 1U);
  EXPECT_EQ(time_step_to_resume(longer, ended), "time_step = 0.00175");
  Case const same = parse_case(
      with(with(diffusion_case, "0.002", "0.00175"), "steps = 7", "end_time = 0.0111"), "c.toml");
  EXPECT_TRUE(fingerprint_differences(same.fingerprint, ended).empty());
  EXPECT_EQ(time_step_to_resume(same, ended), "") << "nothing is in the way";

  Case const other = diffusion("points = [10, 10]", "points = [10, 10]\nprecision = \"float32\"");
  EXPECT_EQ(time_step_to_resume(other, ended), "") << "more than the time step differs";
  EXPECT_EQ(time_step_to_resume(other, diffusion().fingerprint), "") << "it is not the time step";
  EXPECT_EQ(time_step_to_resume(laplace(), ended), "") << "there is none";
}

TEST(Fingerprint, DistinguishesSetsOfGaussians) {
  auto const spot = [](char const* height) {
    return diffusion("[method]", std::string("[[initial.gaussian]]\ncenter = [0, 0]\nwidth = 1\n"
                                             "height = ") +
                                     height + "\n[method]");
  };

  EXPECT_TRUE(fingerprint_differences(spot("1").fingerprint, spot("1.0").fingerprint).empty());
  EXPECT_EQ(fingerprint_differences(spot("1").fingerprint, spot("2").fingerprint).size(), 1U);
}

TEST(Fingerprint, ComparesNumbersByValue) {
  auto const with_zero = [](std::string const& zero) {
    return parse_case(
               std::string(laplace_case), "case.toml",
               {"grid.lower=[" + zero + ", 0, 0]", "initial.value=" + zero,
                "boundary.y_lower={type=\"neumann\", value=" + zero + "}",
                "initial.gaussian=[{center=[" + zero + ", 1, 1], width=1, height=" + zero + "}]",
                "initial.box=[{lower=[" + zero + ", 0, 0], upper=[1, 1, 1], value=" + zero + "}]"})
        .fingerprint;
  };
  for (char const* zero : {"-0.0", "0", "-0"}) {
    EXPECT_TRUE(fingerprint_differences(with_zero("0.0"), with_zero(zero)).empty()) << zero;
    EXPECT_TRUE(fingerprint_differences(with_zero(zero), with_zero("0.0")).empty()) << zero;
  }
  EXPECT_EQ(with_zero("-0.0").find("\"-0"), std::string::npos);
}

TEST(Fingerprint, IgnoresTheSignOfZeroInOlderFiles) {
  std::string const now = laplace().fingerprint;
  std::string before = now;
  before.replace(before.find("\"initial.value\":\"0\""), 19, "\"initial.value\":\"-0\"");

  EXPECT_TRUE(fingerprint_differences(now, before).empty());
}

TEST(Fingerprint, ContainsTheInterpolationOfTheInitialFile) {
  auto const from = [](std::string const& resample) {
    return parse_case(std::string(laplace_case), "case.toml",
                      {"initial.file=u.vtkhdf", "initial.resample=" + resample})
        .fingerprint;
  };
  EXPECT_TRUE(fingerprint_differences(from("true"), from("linear")).empty());
  EXPECT_EQ(
      fingerprint_differences(from("true"), from("cubic")),
      std::vector<std::string>{"[initial] resample is \"linear\", but the file has \"cubic\""});
  EXPECT_EQ(fingerprint_differences(from("true"), from("false")).size(), 1U);
}

TEST(Fingerprint, MatchesAbsoluteAndRelativePaths) {
  auto const from = [](std::string const& file) {
    return parse_case(std::string(laplace_case), "somewhere/case.toml",
                      {"initial.file=\"" + file + "\"", "initial.dataset=u"})
        .fingerprint;
  };

  for (char const* file : {"/somewhere/data/u.h5", "data/u.h5", "./data/u.h5", "../data/u.h5"}) {
    EXPECT_TRUE(fingerprint_differences(from("data/u.h5"), from("/somewhere/data/u.h5")).empty());
    EXPECT_TRUE(fingerprint_differences(from("/somewhere/data/u.h5"), from(file)).empty()) << file;
  }
  for (char const* file : {"/somewhere/data/v.h5", "/u.h5", "data/v.h5", "u.h5", "other/u.h5"}) {
    EXPECT_EQ(fingerprint_differences(from("data/u.h5"), from(file)).size(), 1U) << file;
  }
}

TEST(Fingerprint, DiffersFromInvalidTexts) {
  for (char const* text : {"", "[]", "not JSON", "{"}) {
    EXPECT_EQ(fingerprint_differences(laplace().fingerprint, text).size(), 1U) << text;
  }
  EXPECT_GT(fingerprint_differences(laplace().fingerprint, "{\"grid.points\": [1]}").size(), 3U);
}

}  // namespace
}  // namespace isotherm::test
