#include <gtest/gtest.h>

#include "tests/support/verdict.hpp"

/// GoogleTest's own main, except that a program that runs nothing fails, and one whose tests were
/// skipped says so by its exit code.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int const failed = RUN_ALL_TESTS();
  if (failed != 0 || isotherm::test::ran_nothing()) {
    return 1;
  }
  return isotherm::test::skipped() ? isotherm::test::skipped_exit_code : 0;
}
