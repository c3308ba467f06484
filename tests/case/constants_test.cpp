#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "app/run/resume/resumed_time_step.hpp"
#include "case/case.hpp"
#include "case/key_at_fault.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/support/face_names.hpp"

// The section [constants]: substitution in expressions, and in fingerprints.

namespace isotherm::test {
using namespace app;
namespace {

/// Line 2 is [constants].
constexpr std::string_view plate = R"toml(title = "plate"
[constants]
tau = "L^2/D"
L = 2.0
D = "k/(rho*cp)"
k = 400.0
rho = 8000
cp = "k/4"
n = "L/0.1"
[grid]
points = ["n + 1", 11]
lower = ["-L", 0]
upper = ["L", "2*L"]
[equation]
type = "diffusion"
diffusivity = "D"
source = "k*x^2 + t"
[boundary]
all = { type = "dirichlet", value = "k*y" }
x_upper = { type = "neumann", value = "2*k" }
[initial]
value = "L*sin(x)"
[[initial.box]]
lower = [0, "L/4"]
upper = ["L/2", "L/2"]
value = "k/2"
[[initial.gaussian]]
center = [0, "L/2"]
width = "L/10"
height = "-k"
[method]
name = "crank_nicolson"
end_time = "3*tau"
time_step = "tau/10"
check_every = "n/4"
tolerance = "1/k"
[output]
snapshot_times = ["tau", "2*tau"]
contours = "n/2"
cut = { lower = [0, 0], upper = ["L", "L"] }
[checkpoint]
every_minutes = "k/200"
)toml";

Case read(std::vector<std::string> const& overrides = {}) {
  return parse_case(std::string(plate), "case.toml", overrides);
}

std::string refusal_of(std::vector<std::string> const& overrides) {
  try {
    read(overrides);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> differences(std::vector<std::string> const& changed,
                                     std::vector<std::string> const& other = {}) {
  return fingerprint_differences(read(changed).fingerprint, read(other).fingerprint);
}

TEST(Constants, ReplaceNumbersEverywhere) {
  Case const chosen = read();
  Problem const& problem = chosen.problem;
  double const tau = 4.0 / 0.0005;

  EXPECT_EQ(problem.grid.points, (Extent3{21, 11, 1}));
  EXPECT_EQ(problem.grid.lower[0], -2.0);
  EXPECT_EQ(problem.grid.upper(1), 4.0);
  EXPECT_EQ(problem.diffusivity, 400.0 / (8000.0 * 100.0));
  EXPECT_EQ(problem.initial.boxes.at(0).lower[1], 0.5);
  EXPECT_EQ(problem.initial.boxes.at(0).value, 200.0);
  EXPECT_EQ(problem.initial.gaussians.at(0).center[1], 1.0);
  EXPECT_EQ(problem.initial.gaussians.at(0).height, -400.0);
  EXPECT_EQ(chosen.method.end_time_s, 3.0 * tau);
  EXPECT_EQ(chosen.method.time_step_s, tau / 10.0);
  EXPECT_EQ(chosen.method.check_every, 5);
  EXPECT_EQ(chosen.method.tolerance, 1.0 / 400.0);
  EXPECT_EQ(chosen.method.times_s, (std::vector{tau, 2.0 * tau}));
  EXPECT_EQ(chosen.output.look.contours, 10);
  EXPECT_TRUE(chosen.output.cut.has_value());
  EXPECT_EQ(chosen.checkpoint.every_minutes, 2.0);
}

TEST(Constants, AreSubstitutedInExpressions) {
  Problem const problem = read().problem;

  EXPECT_EQ(problem.source(0.5, 0.0, 0.0, 7.0), 107.0);
  EXPECT_EQ(problem.boundary[y_lower].value(0.0, 0.25, 0.0, 0.0), 100.0);
  EXPECT_TRUE(problem.boundary[x_upper].value.is_constant());
  EXPECT_EQ(problem.boundary[x_upper].value.constant, 800.0);
  EXPECT_EQ(problem.initial.value(0.5, 0.0, 0.0, 0.0), 2.0 * std::sin(0.5));
}

TEST(Constants, CanBeSetOnTheCommandLine) {
  EXPECT_EQ(read({"constants.k=800"}).problem.boundary[x_upper].value.constant, 1600.0);
  EXPECT_EQ(read({"constants.L=\"k/100\""}).problem.grid.upper(1), 8.0);
  EXPECT_EQ(read({"constants.L=k/100"}).problem.grid.upper(1), 8.0);
  EXPECT_EQ(read({"constants.new=3", "equation.diffusivity=new*pi"}).problem.diffusivity,
            3.0 * std::numbers::pi);
  EXPECT_EQ(read({"method.end_time=5*tau"}).method.end_time_s, 40000.0);
}

TEST(Constants, NumbersMayBeExpressionsWithoutConstants) {
  Case const chosen = parse_case(std::string(laplace_case), "case.toml",
                                 {"method.iterations=2^4", "grid.upper=[\"pi\", 1, 1]"});

  EXPECT_EQ(chosen.method.iterations, 16);
  EXPECT_EQ(chosen.problem.grid.upper(0), std::numbers::pi);
}

TEST(Constants, GiveIntegersWithinRounding) {
  EXPECT_EQ(read({"method.check_every=\"0.3/0.1\""}).method.check_every, 3);
  EXPECT_EQ(refusal_of({"method.check_every=L/3"}),
            "--set method.check_every=L/3: [method] check_every is \"L/3\", which evaluates to "
            "0.6666666666666666 (needs a whole number)");
  EXPECT_NE(refusal_of({"method.check_every=3.0001*1"}).find("evaluates to 3.0001"),
            std::string::npos);
  EXPECT_NE(refusal_of({"method.check_every=k^20"}).find("whole number up to"), std::string::npos);
  EXPECT_NE(
      refusal_of({"constants.n=20.5"})
          .find("case.toml:11: [grid] points contains \"n + 1\", which evaluates to 21.5 (needs "
                "a whole number)"),
      std::string::npos);
}

TEST(Constants, DoNotReplaceKeywords) {
  auto const ftcs = [](std::string const& constant, std::string const& step) {
    return parse_case(std::string(diffusion_case), "case.toml",
                      {"constants." + constant + "=0.001", "method.time_step=" + step});
  };
  double const stable =
      parse_case(std::string(diffusion_case), "case.toml", {"method.time_step=stable"})
          .method.time_step_s;

  EXPECT_NE(stable, 0.001);
  EXPECT_EQ(ftcs("stable", "stable").method.time_step_s, stable);
  EXPECT_EQ(ftcs("stable", "1*stable").method.time_step_s, 0.001);
  EXPECT_EQ(ftcs("dt", "dt").method.time_step_s, 0.001);
  EXPECT_EQ(read({"title=k"}).title, "k");
  EXPECT_THROW(read({"run.patience=k"}), InputError);
}

TEST(Constants, RefusalsAreOneLine) {
  for (auto const& [override, says] :
       {std::pair{"constants.k=cp",
                  "case.toml:8: [constants] cp is defined by itself: "
                  "cp -> k -> cp (give one of them a number)"},
        std::pair{"constants.k=2*k",
                  "--set constants.k=2*k: [constants] k is defined by itself: "
                  "k -> k"},
        std::pair{"constants.x=1",
                  "[constants] x is a reserved name: in expressions it stands for a coordinate"},
        std::pair{"constants.t=1",
                  "[constants] t is a reserved name: in expressions it stands for the time"},
        std::pair{
            "constants.u=1",
            "[constants] u is a reserved name: in expressions it stands for the value of a field"},
        std::pair{"constants.pi=3",
                  "[constants] pi is a reserved name: in expressions it stands for 3.14159"},
        std::pair{"constants.sin=1",
                  "[constants] sin is a reserved name: in expressions it stands for a function"},
        std::pair{"constants.mod=1",
                  "[constants] mod is a reserved name: in expressions it stands for a function"},
        std::pair{"constants.a-b=1", "[constants] a-b is not a valid name"},
        std::pair{"constants.2a=1", "[constants] 2a is not a valid name"},
        std::pair{"constants.\"\"=1", "is not a valid name"},
        std::pair{"constants.k=inf", "[constants] k is inf (needs a finite number)"},
        std::pair{"constants.k=1/(L - 2)", "[constants] k: \"1/(L - 2)\": its value is not finite"},
        std::pair{"constants.k=true", "[constants] k is true (needs a number, or an expression"},
        std::pair{"constants.k=[1]", "[constants] k is a list"},
        std::pair{"constants.a.b=1", "[constants] a is a table"},
        std::pair{"constants=1", "constants is 1 (needs a table"},
        std::pair{"constans.k=1", "[constans] is not a section (did you mean constants?)"},
        std::pair{"constants.k=2*x", "[constants] k: \"2*x\": it depends on x, a coordinate"},
        std::pair{"constants.k=2*conductivity", "\"conductivity\" is not known (known are pi, D"},
        std::pair{"constants.k=2*Rho", "\"Rho\" is not known (did you mean rho?)"},
        std::pair{"equation.diffusivity=2*t",
                  "[equation] diffusivity: \"2*t\": it depends on t, the"},
        std::pair{"equation.diffusivity=DD",
                  "the string \"DD\" (needs a number, as in diffusivity"},
        std::pair{"method.end_time=tauu", "which is not a constant (did you mean tau?)"},
        std::pair{"method.time_step=tauu", "which is not a constant (did you mean tau?)"},
        std::pair{"method.time_step=stabel", "did you mean \"stable\"?"},
        std::pair{"method.time_step=fast", "is \"fast\" (the only valid value is \"stable\")"},
        std::pair{"method.time_step=-tau", "[method] time_step is -8000 (needs a number above 0)"},
        std::pair{"equation.source=x*Cp", "(did you mean cp?), at character 3"},
        std::pair{"equation.source=z*k", "depends on z, but the grid is 2D"},
        std::pair{"grid.points=n", "is the string \"n\" (needs a list of whole numbers"},
        std::pair{"grid.points={n=1}", "[grid] points is a table"},
        std::pair{"grid.points=[{n=1}]", "[grid] points contains a table"}}) {
    std::string const message = refusal_of({override});
    EXPECT_TRUE(message.starts_with("--set ") || message.starts_with("case.toml:")) << message;
    EXPECT_NE(message.find(says), std::string::npos) << override << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Constants, OfOverridesMustBeUsed) {
  EXPECT_EQ(refusal_of({"constants.q=3"}),
            "--set constants.q=3: [constants] q is used by no expression of the case (leave it "
            "out)");
  EXPECT_NE(refusal_of({"constants.tauu=3"}), "");
  EXPECT_NE(refusal_of({"constants.q=3", "title=q"}), "");
  EXPECT_EQ(refusal_of({"constants.q=3", "constants.k=2*q"}), "");
  EXPECT_EQ(refusal_of({"constants.q=3", "grid.points=[\"7*q\", 11]"}), "");
  EXPECT_EQ(refusal_of({"constants.rho=3", "equation.diffusivity=1"}), "");
}

TEST(Constants, AreLimitedInNumber) {
  std::vector<std::string> chain{"constants.c999=\"k\""};
  for (int i = 998; i >= 9; --i) {
    chain.push_back("constants.c" + std::to_string(i) + "=\"c" + std::to_string(i + 1) + "\"");
  }
  chain.emplace_back("equation.diffusivity=c9");
  EXPECT_EQ(read(chain).problem.diffusivity, 400.0);

  for (int i = 0; i < 9; ++i) chain.push_back("constants.c" + std::to_string(i) + "=1");
  EXPECT_NE(refusal_of(chain).find("[constants] contains 1007 entries (at most 1000)"),
            std::string::npos);
}

TEST(Constants, FingerprintContainsTheirValues) {
  std::string const unused = with(plate, "tau =", "unused = 3\ntau =");
  EXPECT_EQ(parse_case(unused, "case.toml").fingerprint, read().fingerprint);
  EXPECT_TRUE(differences({"constants.k=4e2", "constants.cp=100", "grid.points=[21, 11]"}).empty());
  EXPECT_TRUE(differences({"equation.source=400*x^2 + t", "method.time_step=800"}).empty());
  EXPECT_TRUE(differences({"constants.tau=\"1*L^2/D\"", "constants.n=20"}).empty());
  EXPECT_TRUE(
      differences({"constants.a=-3", "initial.value=a^2*x"}, {"initial.value=(-3)^2*x"}).empty());
  EXPECT_FALSE(
      differences({"constants.a=-3", "initial.value=a^2*x"}, {"initial.value=-3^2*x"}).empty());

  EXPECT_EQ(differences({"constants.k=401", "constants.cp=100"}).size(), 9U);
  EXPECT_EQ(differences({"constants.rho=8001", "method.time_step=800"}),
            std::vector<std::string>{
                "[equation] diffusivity is 0.0004999375078115235, but the file has 0.0005"});
  EXPECT_EQ(differences({"constants.a=2", "equation.source=a*x"}, {"equation.source=3*x"}),
            std::vector<std::string>{"[equation] source is \"2*x\", but the file has \"3*x\""});
}

TEST(Constants, RemainInTheStoredCase) {
  EXPECT_EQ(read().text, plate);
  Case const changed = read({"constants.L=4"});
  Case const again = parse_case(changed.text, "other.toml");

  EXPECT_NE(changed.text.find("tau = \"L^2/D\"\nL = 4\n"), std::string::npos) << changed.text;
  EXPECT_NE(changed.text.find("upper = [\"L\", \"2*L\"]"), std::string::npos) << changed.text;
  EXPECT_EQ(again.fingerprint, changed.fingerprint);
  EXPECT_EQ(again.problem.grid.upper(0), 4.0);
  EXPECT_EQ(place_of(changed, "method.end_time"), "case.toml:33: [method] end_time = \"3*tau\": ");
}

TEST(Constants, TimeStepMayResumeFromAShortenedOne) {
  auto const with_step = [](std::string const& step) {
    std::vector<std::string> overrides{"method.time_step=" + step, "method.end_time=0.0111"};
    if (step.starts_with("dt")) overrides.emplace_back("constants.dt=0.002");
    return parse_case(std::string(diffusion_case), "case.toml", overrides);
  };
  std::string const file = with_step("0.00175").fingerprint;

  EXPECT_TRUE(resumed_time_step(with_step("dt"), file));
  EXPECT_FALSE(resumed_time_step(with_step("dt/2"), file)) << "a smaller step is asked for";
}

}  // namespace
}  // namespace isotherm::test
