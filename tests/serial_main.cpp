#include <gtest/gtest.h>

#include "tests/support/backends.hpp"

namespace {

/// What CTest is told to count as skipped.
constexpr int skipped_exit_code = 77;

/// Also where a few tests need no backend and passed: they say nothing about the one that lacks.
bool skipped() {
  auto const& tests = *testing::UnitTest::GetInstance();
  return tests.skipped_test_count() > 0 &&
         (tests.successful_test_count() == 0 || !isotherm::test::backend_missing().empty());
}

}  // namespace

/// GoogleTest's own main, except that a program that runs nothing fails, and one whose tests were
/// skipped says so by its exit code.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int const failed = RUN_ALL_TESTS();
  if (failed != 0 || testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    return 1;
  }
  return skipped() ? skipped_exit_code : 0;
}
