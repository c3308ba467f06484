#include <gtest/gtest.h>

#include <string>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Floating conductors and thin fluids in case files.

namespace isotherm::test {
namespace {

constexpr std::string_view island =
    "[[fixed]]\nname = \"island\"\nfloating = true\nball = { center = [0.5, 1.0, 1.5], radius = "
    "0.3 }\n";

constexpr std::string_view island_in_2d =
    "[[fixed]]\nfloating = true\nball = { center = [0.5, 0.5], radius = 0.2 }\n";

std::string message(std::string const& text) {
  try {
    (void)parse_case(text, "case.toml", {});
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST(CaseFloating, ConductorHasAFluxInsteadOfAValue) {
  std::string const text = std::string(laplace_case) + std::string(island);
  Case const neutral = parse_case(text, "case.toml", {});
  ASSERT_EQ(neutral.problem.medium.fixed.size(), 1U);
  EXPECT_EQ(neutral.problem.medium.fixed[0].floating_flux, 0.0);
  Case const charged = parse_case(text + "flux = -2.5\n", "case.toml", {});
  EXPECT_EQ(charged.problem.medium.fixed[0].floating_flux, -2.5);
  // A run with another charge is another run.
  EXPECT_NE(neutral.fingerprint, charged.fingerprint);
}

TEST(CaseFloating, BadConductorsAreRefused) {
  auto const expect = [](std::string const& text, std::string const& wanted) {
    std::string const found = message(text);
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  std::string const plain(laplace_case), floats(island);
  expect(plain + floats + "value = 1.0\n", "[fixed] value conflicts with floating");
  expect(plain + "[[fixed]]\nbox = { lower = [0,0,0], upper = [0.4,1,1] }\nflux = 1.0\nvalue = 0\n",
         "flux applies only to a floating conductor");
  expect(plain + "[[fixed]]\nbox = { lower = [0,0,0], upper = [0.4,1,1] }\n",
         "or set floating = true");
  expect(with(plain, "{ type = \"dirichlet\", value = 1.0 }", "{ type = \"neumann\" }") + floats,
         "floating leaves all values undetermined");
  // The default method of diffusion is explicit.
  expect(
      std::string(diffusion_case) + std::string(island_in_2d),
      "is \"ftcs\" by default, but time steps with a floating conductor need \"backward_euler\"");
}

TEST(CaseFloating, ConductorMayFloatInTime) {
  Case const chosen =
      parse_case(std::string(diffusion_case) + std::string(island_in_2d) + "flux = 3.0\n",
                 "case.toml", {"method.name=backward_euler"});
  EXPECT_EQ(chosen.problem.medium.fixed[0].floating_flux, 3.0);
}

/// The points of this axis are 0.125 apart.
TEST(CaseFloating, FluidMayLieBetweenPoints) {
  Case const chosen = parse_case(std::string(laplace_case) +
                                     "[[insulated]]\nname = \"sheet\"\nbox = { lower = [0.52, -1, "
                                     "-1], upper = [0.6, 9, 9] }\n[[convection]]\nof = "
                                     "\"sheet\"\nh = 2.0\nambient = 5.0\n",
                                 "case.toml", {});
  ASSERT_EQ(chosen.problem.medium.fixed.size(), 1U);
  EXPECT_TRUE(chosen.problem.medium.fixed[0].is_excluded);
}

}  // namespace
}  // namespace isotherm::test
