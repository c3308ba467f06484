#include "case/basics/text/number_range.hpp"

#include <gtest/gtest.h>

// Numbers in TOML and in expressions that have no representation.

namespace isotherm::test {
namespace {

TEST(NumberRange, FindsFirstNumberBeyondFloat64) {
  std::string const range = " is out of range (numbers are at most 1.8e308 in magnitude)";
  EXPECT_EQ(number_out_of_range("source = 1e400"), "1e400" + range);
  EXPECT_EQ(number_out_of_range("[1.0, -1.5e309, 2]"), "1.5e309" + range);
  EXPECT_EQ(number_out_of_range("2*x - 1e9999*y"), "1e9999" + range);
  EXPECT_EQ(number_out_of_range("1_0e399"), "10e399" + range);
  for (char const* const text : {"1e308", "1e-400", "\"1e400\"", "'1e400'", "1 # 1e400", "x1e400",
                                 "n_1e400 + 2", "0x1e400", "", "1979-05-27", ".5", "e400"}) {
    EXPECT_EQ(number_out_of_range(text), "") << text;
  }
}

TEST(NumberRange, FindsWholeNumberBeyond64Bits) {
  EXPECT_EQ(whole_out_of_range("[9, 99999999999999999999]"),
            "99999999999999999999 is out of range (whole numbers are at most 9.2e18 in magnitude)");
  for (char const* const text : {"9223372036854775807", "99999999999999999999.0", "1e20",
                                 "99999999999999999999e2", "x99999999999999999999"}) {
    EXPECT_EQ(whole_out_of_range(text), "") << text;
  }
}

}  // namespace
}  // namespace isotherm::test
