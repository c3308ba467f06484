#pragma once

#include <gtest/gtest.h>

#include "tests/support/backends.hpp"

/// The verdicts of test programs beyond GoogleTest's own exit codes.
namespace isotherm::test {

/// CTest counts a test as skipped by this exit code, or by this line of a program that uses MPI.
constexpr int skipped_exit_code = 77;
constexpr char const* skipped_verdict = "verdict: skipped";

/// Returns true if the program runs no test. Such a program has not passed.
inline bool ran_nothing() { return testing::UnitTest::GetInstance()->test_to_run_count() == 0; }

/// Returns true if tests were skipped and none passed, or the backend is missing. Tests that need
/// no backend may have passed then, but prove nothing about the missing one.
inline bool skipped() {
  auto const& tests = *testing::UnitTest::GetInstance();
  return tests.skipped_test_count() > 0 &&
         (tests.successful_test_count() == 0 || !backend_missing().empty());
}

}  // namespace isotherm::test
