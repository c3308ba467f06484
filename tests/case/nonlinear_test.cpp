#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "solver/problem/conditions.hpp"

// Reaction coefficients, and coefficients that depend on the solution, in case files.

namespace isotherm::test {
namespace {

/// A plate with a hot and a cold face. Keys of [equation] follow.
constexpr std::string_view plate = R"toml(title = "plate"
[grid]
points = [11, 9]
[boundary]
y = { type = "neumann" }
x_lower = { type = "dirichlet", value = 1.0 }
x_upper = { type = "dirichlet", value = 3.0 }
[method]
tolerance = 1e-6
[equation]
type = "poisson"
)toml";

Case read(std::string const& lines, std::vector<std::string> const& overrides = {}) {
  return parse_case(std::string(plate) + lines, "case.toml", overrides);
}

std::string message(std::string const& lines, std::vector<std::string> const& overrides = {}) {
  try {
    (void)read(lines, overrides);
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST(CaseNonlinear, ReactionCoefficient) {
  Case const plain = read("");
  EXPECT_TRUE(plain.problem.reaction.is_zero());
  Case const constant = read("reaction = 2.5\n");
  EXPECT_EQ(constant.problem.reaction(0.3, 0.2, 0.0, 0.0), 2.5);
  EXPECT_EQ(constant.method.name, "direct");
  Case const varying = read("reaction = \"1 + x\"\n");
  EXPECT_EQ(varying.problem.reaction(0.5, 0.2, 0.0, 0.0), 1.5);
  EXPECT_EQ(varying.method.name, "multigrid");
  EXPECT_NE(constant.fingerprint, varying.fingerprint);
  EXPECT_NE(constant.fingerprint, plain.fingerprint);
  EXPECT_NE(message("reaction = -1.0\n").find("[equation] reaction is -1"), std::string::npos);
  EXPECT_NE(message("reaction = \"x - 0.5\"\n").find("reaction is -0.4"), std::string::npos);
}

TEST(CaseNonlinear, ConductivityAndSourceMayDependOnTheSolution) {
  Case const chosen = read("conductivity = \"1 + u*x\"\nsource = \"exp(-u)\"\n");
  Problem const& problem = chosen.problem;
  EXPECT_TRUE(is_nonlinear(problem));
  EXPECT_EQ(problem.medium.conductivity[0](0.5, 0.0, 0.0, 3.0), 2.5);
  EXPECT_EQ(problem.source(0.5, 0.0, 0.0, 0.0), 1.0);
  EXPECT_EQ(chosen.method.name, "multigrid");
  EXPECT_FALSE(is_nonlinear(read("conductivity = \"1 + x\"\n").problem));
  Case const layered =
      read("[[material]]\nbox = { lower = [0.5, -1], upper = [2, 2] }\nconductivity = \"2*u\"\n");
  EXPECT_TRUE(layered.problem.medium.conductivity[0].depends_on_u);
  EXPECT_EQ(layered.problem.medium.conductivity[0](0.7, 0.1, 0.0, 3.0), 6.0);
  EXPECT_EQ(layered.problem.medium.conductivity[0](0.2, 0.1, 0.0, 3.0), 1.0);
}

TEST(CaseNonlinear, RadiationIsARobinConditionOfTheSolution) {
  Case const chosen =
      read("", {R"(boundary.x_upper={type="radiation", emissivity=0.5, ambient=27, )"
                R"(absolute_zero=-273.15})"});
  BoundaryCondition const& condition = chosen.problem.boundary[{0, true}];
  EXPECT_EQ(condition.kind, BoundaryKind::robin);
  EXPECT_EQ(condition.absolute_zero, -273.15);
  double const here = 400.0, there = 300.15, factor = 0.5 * 5.670374419e-8;
  double const flux = condition.coefficient(1.0, 0.0, 0.0, here - 273.15) * (here - there);
  EXPECT_NEAR(flux / (factor * (std::pow(here, 4) - std::pow(there, 4))), 1.0, 1e-12);
  // In millimetres the constant is a millionth.
  Case const in_mm = read("", {R"(boundary.x_upper={type="radiation", emissivity=0.5, ambient=27, )"
                               R"(absolute_zero=-273.15, stefan_boltzmann=5.670374419e-14})"});
  double const flux_in_mm =
      in_mm.problem.boundary[{0, true}].coefficient(1.0, 0.0, 0.0, here - 273.15) * (here - there);
  EXPECT_NEAR(flux_in_mm / flux, 1e-6, 1e-18);
}

TEST(CaseNonlinear, ConvectionWithTheCoefficientOfRadiationHasBothFluxes) {
  std::string const coefficient = "15 + 0.8*5.670374419e-8*((u+273.15)^2 + Ta^2)*(u+273.15 + Ta)";
  Case const chosen =
      read("", {"constants.Ta=293.15",
                "boundary.x_upper={type=\"convection\", ambient=20, h=\"" + coefficient + "\"}"});
  BoundaryCondition const& condition = chosen.problem.boundary[{0, true}];
  double const u = 400.0;
  double const flux = condition.coefficient(1.0, 0.0, 0.0, u) * (u - 20.0);
  double const radiation = 0.8 * 5.670374419e-8 * (std::pow(u + 273.15, 4) - std::pow(293.15, 4));
  EXPECT_NEAR(flux / (15.0 * (u - 20.0) + radiation), 1.0, 1e-12);
}

/// Overrides that make the plate a problem in time.
std::vector<std::string> in_time(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"equation.type=diffusion", "method.name=backward_euler",
                           "method.time_step=0.1", "method.steps=3", "initial.value=2"});
  return more;
}

TEST(CaseNonlinear, CapacityMayDependOnTheSolutionInTime) {
  Case const chosen = read("capacity = \"2 + u*x\"\nconductivity = \"1 + u\"\n", in_time());
  Problem const& problem = chosen.problem;
  EXPECT_TRUE(is_nonlinear(problem));
  EXPECT_EQ(problem.medium.capacity(0.5, 0.0, 0.0, 3.0), 3.5);
  EXPECT_EQ(chosen.method.name, "backward_euler");
  EXPECT_FALSE(chosen.method.direct_steps);
  EXPECT_TRUE(is_nonlinear(read("capacity = \"1 + u\"\n", in_time()).problem));
  // In the volumes that a surface cuts, the capacity is the mean of both materials.
  Case const layered =
      read("[[material]]\nbox = { lower = [0.525, -1], upper = [2, 2] }\ncapacity = \"2*u\"\n",
           in_time());
  ScalarFunction const& capacity = layered.problem.medium.capacity;
  EXPECT_TRUE(capacity.depends_on_u);
  EXPECT_NEAR(capacity(0.7, 0.5, 0.0, 3.0), 6.0, 1e-12);
  EXPECT_NEAR(capacity(0.5, 0.5, 0.0, 3.0), 0.75 * 1.0 + 0.25 * 6.0, 1e-12);
  EXPECT_NEAR(capacity(0.5, 0.5, 0.0, 5.0), 0.75 * 1.0 + 0.25 * 10.0, 1e-12);
  EXPECT_NEAR(capacity(0.2, 0.5, 0.0, 3.0), 1.0, 1e-12);
}

TEST(CaseNonlinear, ExplicitStepsAreRefused) {
  for (std::string const name : {"ftcs", ""}) {
    std::vector<std::string> overrides{"equation.type=diffusion", "method.steps=3"};
    if (!name.empty()) overrides.push_back("method.name=" + name);
    std::string const found = message("conductivity = \"1 + u\"\n", overrides);
    EXPECT_NE(found.find("a coefficient depends on u (needs \"backward_euler\" or "
                         "\"crank_nicolson\")"),
              std::string::npos)
        << found;
  }
}

TEST(CaseNonlinear, BadCoefficientsAreRefused) {
  auto const expect = [](std::string const& found, std::string const& wanted) {
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect(message("conductivity = \"2 - u\"\n"), "the conductivity is 0 at x = 0");
  expect(message("conductivity = \"u\"\n", {"method.name=jacobi", "method.iterations=9"}),
         "a coefficient depends on u (needs \"multigrid\")");
  expect(message("conductivity = \"u\"\n", {"grid.precision=float32"}), "needs [grid] precision");
  expect(message("conductivity = \"u\"\n", {"output.fields=[\"u\",\"flux\"]"}),
         "if a coefficient depends on u");
  expect(message("", {"boundary.x_lower={type=\"dirichlet\", value=\"u\"}"}), "u");
  expect(message("", {"boundary.x_lower={type=\"radiation\", emissivity=1.5, ambient=3}"}),
         "emissivity is 1.5");
  expect(message("capacity = \"1 + u\"\n"), "capacity applies only to type = \"diffusion\"");
  expect(message("capacity = \"2 - u\"\n", in_time()), "the capacity is 0 at x = 0");
  expect(message("capacity = \"1 + t\"\n", in_time()), "depends on t, the time");
  expect(message("capacity = \"1/u\"\n", in_time({"output.quantities=[\"heat\"]"})),
         "contains heat, but the capacity is not a positive number");
  expect(message("conductivity = \"80 - T\"\n"), "\"T\" is not known (did you mean u?)");
  std::string const radiation = "boundary.x_lower={type=\"radiation\", emissivity=0.5, ";
  expect(message("", {radiation + "ambient=30}"}),
         "absolute_zero is missing (needs 0 for kelvin, or -273.15 for degrees Celsius)");
  expect(message("", in_time({"equation.diffusivity=2",
                              radiation + "ambient=30, absolute_zero=0, value=1}"})),
         "value does not apply");
  expect(
      message("", in_time({"equation.diffusivity=2", radiation + "ambient=30, absolute_zero=0}"})),
      "a diffusivity has no unit of heat");
  expect(message("", {radiation + "ambient=30, absolute_zero=0, h=15}"}),
         "(write emissivity and ambient; for a face with both, in degrees Celsius: type = "
         "\"convection\"");
  expect(message("", {"boundary.x_lower={type=\"flux\", value=1, stefan_boltzmann=1}"}),
         "stefan_boltzmann applies only to");
  expect(message("", {radiation + "ambient=-20, absolute_zero=0}"}),
         "ambient is -20, below absolute_zero = 0");
  expect(message("", {"boundary.x_lower={type=\"radiation\", ambient=3}"}),
         "emissivity is missing");
  expect(message("", {"boundary.x_lower={type=\"robin\", coefficient=1, emissivity=1}"}),
         "emissivity applies only to");
}

}  // namespace
}  // namespace isotherm::test
