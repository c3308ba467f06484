#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace isotherm::test {

/// Returns a filter for the tests of a source file, which is given relative to tests/.
inline std::string filter_of_source(std::string_view source) {
  std::string const end = "/" + std::string(source);
  std::string filter = "none";
  auto const& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    auto const& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      auto const& test = *suite.GetTestInfo(t);
      if (!std::string_view(test.file()).ends_with(end)) continue;
      filter.append(":").append(suite.name()).append(".").append(test.name());
    }
  }
  return filter;
}

/// Runs only the tests of one source file if an argument names it, such as
/// "--source=solver/modes_mpi_test.cpp", since a program may be compiled from several sources. A
/// filter that was given to GoogleTest takes precedence.
inline void select_source(int argc, char** argv) {
  constexpr std::string_view option = "--source=";
  if (GTEST_FLAG_GET(filter) != "*") return;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument.starts_with(option)) {
      GTEST_FLAG_SET(filter, filter_of_source(argument.substr(option.size())));
    }
  }
}

}  // namespace isotherm::test
