#include <gtest/gtest.h>

#include "tests/main/select_source.hpp"
#include "tests/main/verdict.hpp"

/// Like GoogleTest's main(), except that a program without tests fails, and one whose tests were
/// all skipped has a special exit code.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  isotherm::test::select_source(argc, argv);
  int const failed = RUN_ALL_TESTS();
  if (failed != 0 || isotherm::test::ran_nothing()) {
    return 1;
  }
  return isotherm::test::skipped() ? isotherm::test::skipped_exit_code : 0;
}
