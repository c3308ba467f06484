#pragma once

#include <gtest/gtest.h>

#include "tests/support/backends.hpp"

/// What a test program says beyond GoogleTest's own exit codes.
namespace isotherm::test {

/// What CTest is told to count as skipped: an exit code, or a line of a program that uses MPI.
constexpr int skipped_exit_code = 77;
constexpr char const* skipped_verdict = "verdict: skipped";

/// A program that runs no test at all has not passed.
inline bool ran_nothing() { return testing::UnitTest::GetInstance()->test_to_run_count() == 0; }

/// Also where a few tests need no backend and passed: they say nothing about the one that lacks.
inline bool skipped() {
  auto const& tests = *testing::UnitTest::GetInstance();
  return tests.skipped_test_count() > 0 &&
         (tests.successful_test_count() == 0 || !backend_missing().empty());
}

}  // namespace isotherm::test
