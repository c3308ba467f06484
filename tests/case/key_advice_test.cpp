#include <gtest/gtest.h>

#include <string>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Keys of textbooks and other programs: the message names the key of isotherm.

namespace isotherm::test {
namespace {

struct Mistake {
  std::string section;  ///< after which line of the case the key stands; empty: at the beginning
  std::string line;
  std::string place;   ///< of the message
  std::string advice;  ///< its remedy
};

std::ostream& operator<<(std::ostream& stream, Mistake const& mistake) {
  return stream << mistake.section << ' ' << mistake.line;
}

std::string message_of(std::string const& text) {
  try {
    (void)parse_case(text, "case.toml");
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

class KeyAdvice : public testing::TestWithParam<Mistake> {};

TEST_P(KeyAdvice, LeadsToTheRightKey) {
  Mistake const& mistake = GetParam();
  std::string const text = mistake.section.empty()
                               ? mistake.line + '\n' + std::string(diffusion_case)
                               : with(diffusion_case, mistake.section + '\n',
                                      mistake.section + '\n' + mistake.line + '\n');
  std::string const message = message_of(text);
  EXPECT_NE(message.find(mistake.place), std::string::npos) << message;
  EXPECT_NE(message.find(mistake.advice), std::string::npos) << message;
  EXPECT_EQ(message.find("valid keys are"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    OfOtherPrograms, KeyAdvice,
    testing::Values(
        Mistake{"[method]", "dt = 0.1", "[method] dt is not a key", "write time_step"},
        Mistake{"[method]", "delta_t = 0.1", "[method] delta_t", "write time_step"},
        Mistake{"[method]", "nt = 10", "[method] nt", "write steps"},
        Mistake{"[method]", "tol = 1e-6", "[method] tol", "write tolerance"},
        Mistake{"[method]", "eps = 1e-6", "[method] eps", "write tolerance"},
        Mistake{"[method]", "T_end = 1", "[method] T_end", "write end_time"},
        Mistake{"[method]", "max_iter = 9", "[method] max_iter", "write iterations"},
        Mistake{"[method]", "solver = \"cg\"", "[method] solver", "write name"},
        Mistake{"[method]", "theta = 0.5", "[method] theta", "crank_nicolson"},
        Mistake{"[method]", "cfl = 0.5", "[method] cfl", "stable_fraction"},
        Mistake{"[method]", "name = \"implicit\"", "[method] name is \"implicit\"",
                "backward_euler"},
        Mistake{"[method]", "name = \"amg\"", "[method] name is \"amg\"", "\"multigrid\""},
        Mistake{"[equation]", "k = 1.0", "[equation] k", "write conductivity"},
        Mistake{"[equation]", "rho = 1.0", "[equation] rho", "write capacity"},
        Mistake{"[equation]", "cp = 1.0", "[equation] cp", "write capacity"},
        Mistake{"[equation]", "density = 1.0", "[equation] density", "write capacity"},
        Mistake{"[equation]", "alpha = 1.0", "[equation] alpha", "write diffusivity"},
        Mistake{"[equation]", "rhs = 1.0", "[equation] rhs", "write source"},
        Mistake{"[equation]", "T0 = 20.0", "[equation] T0", "write [initial] value"},
        Mistake{"[grid]", "nx = 64", "[grid] nx", "write points"},
        Mistake{"[grid]", "Lx = 1.0", "[grid] Lx", "write upper"},
        Mistake{"[grid]", "dx = 0.1", "[grid] dx", "write spacing"},
        Mistake{"[boundary]", "left = 1.0", "[boundary] left", "write x_lower"},
        Mistake{"[boundary]", "top = { type = \"dirichlet\" }", "[boundary] top",
                "y_upper in 2D, z_upper in 3D"},
        Mistake{"[boundary]", "dirichlet = 1.0", "[boundary] dirichlet", "name the face"},
        Mistake{"[boundary]", "z_lower = { type = \"dirichlet\", T = 1.0 }", "z_lower] T",
                "write value"},
        Mistake{"[boundary]", "z_lower = { type = \"adiabatic\" }", "type is \"adiabatic\"",
                "\"neumann\""},
        Mistake{"[boundary]", "z_lower = { bc = \"dirichlet\" }", "z_lower] bc", "write type"},
        Mistake{"[initial]", "T0 = 1.0", "[initial] T0", "write value"}));

INSTANTIATE_TEST_SUITE_P(
    WithoutTheirSection, KeyAdvice,
    testing::Values(Mistake{"", "dt = 0.1", "dt is not a key", "in [method]: write time_step"},
                    Mistake{"", "nx = 10", "nx is not a key", "in [grid]: write points"},
                    Mistake{"", "k = 1.0", "k is not a key", "in [equation]: write conductivity"},
                    Mistake{"", "[solver]\ntol = 1e-3", "[solver] is not a section",
                            "write [method]"},
                    Mistake{"", "[bc]\nleft = 1.0", "[bc] is not a section", "write [boundary]"},
                    Mistake{"", "[mesh]\nnx = 10", "[mesh] is not a section", "write [grid]"}));

}  // namespace
}  // namespace isotherm::test
