#include "solver/methods.hpp"

#include <gtest/gtest.h>

#include <set>

#include "kernels/core/error.hpp"

// The table of methods, and the check of their settings.

namespace isotherm::test {
namespace {

TEST(Methods, HaveUniqueNamesAndKeys) {
  std::set<std::string_view> names;
  for (Method const& method : methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_FALSE(method.keys.empty()) << method.name;
    EXPECT_EQ(&method_named(method.name), &method);
  }
}

TEST(Methods, SolveEachEquationByDefault) {
  for (Equation const equation : {Equation::laplace, Equation::poisson, Equation::diffusion}) {
    for (bool const to_tolerance : {false, true}) {
      EXPECT_TRUE(solves(default_method(equation, to_tolerance), equation)) << name(equation);
    }
  }
  EXPECT_EQ(default_method(Equation::poisson, false).name, "jacobi");
  EXPECT_EQ(default_method(Equation::poisson, true).name, "multigrid");
  EXPECT_EQ(default_method(Equation::diffusion, true).name, "ftcs");
}

TEST(Methods, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    (void)method_named("jacobbi");
    FAIL() << "there is no such method";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "there is no method \"jacobbi\" (valid methods: jacobi, multigrid, direct, ftcs, "
                 "rkl2, backward_euler, crank_nicolson)");
  }
}

TEST(Settings, RefusalNamesTheKey) {
  auto const key_of = [](MethodSettings const& method) -> std::string {
    try {
      check_settings(method);
      return "";
    } catch (SettingError const& error) {
      EXPECT_EQ(error.what(), error.key() + ' ' + error.fault());
      return error.key();
    }
  };

  EXPECT_EQ(key_of({}), "");
  EXPECT_EQ(key_of({.iterations = -1}), "iterations");
  EXPECT_EQ(key_of({.iterations = max_iterations + 1}), "iterations");
  EXPECT_EQ(key_of({.check_every = -1}), "check_every");
  EXPECT_EQ(key_of({.tolerance = 1.0}), "tolerance");
  EXPECT_EQ(key_of({.tolerance = std::nan("")}), "tolerance");
  EXPECT_EQ(key_of({.tolerance = 0.5, .check_every = 0}), "check_every");
  EXPECT_EQ(key_of({.step_tolerance = 0.0}), "step_tolerance");
  EXPECT_EQ(key_of({.step_tolerance = 1.0}), "step_tolerance");
  EXPECT_EQ(key_of({.step_tolerance = std::nan("")}), "step_tolerance");
}

}  // namespace
}  // namespace isotherm::test
