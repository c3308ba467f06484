#include "app/run/resume/resumed_method.hpp"

#include <gtest/gtest.h>

#include "tests/case/case_texts.hpp"

// Resuming with the method of a file if the case names none.

namespace isotherm::test {
using namespace app;
namespace {

Case laplace(std::string const& method) {
  return parse_case(with(laplace_case, "name = \"jacobi\"\niterations = 20", method), "case.toml");
}

TEST(ResumedMethod, KeepsTheMethodOfTheFile) {
  Case const unnamed = laplace("tolerance = 1e-6");
  for (std::string const name : {"multigrid", "direct"}) {
    std::string const file = laplace("tolerance = 1e-6\nname = \"" + name + '"').fingerprint;
    auto const kept = resumed_method(unnamed, file);
    if (unnamed.method.name == name) {
      EXPECT_FALSE(kept) << "the default is that of the file";
      continue;
    }
    ASSERT_TRUE(kept) << name;
    EXPECT_EQ(kept->assignment, "method.name=" + name);
    EXPECT_EQ(kept->remark, name + ", kept from the file");
  }
}

TEST(ResumedMethod, KeepsTheMethodThatTheCaseNames) {
  std::string const file = laplace("tolerance = 1e-6\nname = \"multigrid\"").fingerprint;
  EXPECT_FALSE(resumed_method(laplace("tolerance = 1e-6\nname = \"direct\""), file));
}

TEST(ResumedMethod, RefusesFilesOfOtherProblems) {
  Case const unnamed = laplace("tolerance = 1e-6");
  // Keys of cycles belong to multigrid.
  std::string const direct = laplace("tolerance = 1e-6\nname = \"direct\"").fingerprint;
  EXPECT_FALSE(resumed_method(laplace("tolerance = 1e-6\npre = 2"), direct));
  std::string const other =
      laplace("tolerance = 1e-6\nname = \"multigrid\"\nnorm = \"max\"").fingerprint;
  EXPECT_FALSE(resumed_method(unnamed, other));
  EXPECT_FALSE(resumed_method(unnamed, R"({"method.name": "nonsense"})"));
  EXPECT_FALSE(resumed_method(unnamed, R"({"method.name": 7})"));
}

}  // namespace
}  // namespace isotherm::test
