#include "case/basics/text/text.hpp"

#include <gtest/gtest.h>

#include "kernels/core/error.hpp"

// Formatting and parsing of sizes, durations and extents.

namespace isotherm {
namespace {

TEST(FormatBytes, KeepsThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(12.5 * 1024 * 1024), "12.5 MiB");
  EXPECT_EQ(format_bytes(4294967296.0), "4.00 GiB");
  EXPECT_EQ(format_bytes(1.5e18), "1332 PiB");
}

TEST(FormatSeconds, UsesMinutesAndHours) {
  EXPECT_EQ(format_seconds(0.1348), "0.135 s");
  EXPECT_EQ(format_seconds(59.4), "59.4 s");
  EXPECT_EQ(format_seconds(60), "1:00 min");
  EXPECT_EQ(format_seconds(3599.6), "1:00:00 h");
  EXPECT_EQ(format_seconds(36061), "10:01:01 h");
}

TEST(FormatExtent, OmitsAxesThatTheGridHasNot) {
  EXPECT_EQ(format_extent({3, 1, 1}, 1), "3");
  EXPECT_EQ(format_extent({3, 4, 1}, 2), "3 x 4");
  EXPECT_EQ(format_extent({3, 4, 1}, 3), "3 x 4 x 1");
}

TEST(ParseExtent, ReadsTwoOrThreeAxes) {
  EXPECT_EQ(parse_extent("1024x1024x512"), (Extent3{1024, 1024, 512}));
  EXPECT_EQ(parse_extent("16384x99"), (Extent3{16384, 99, 1}));
}

TEST(ParseExtent, RefusesOtherTexts) {
  for (char const* const text :
       {"", "5", "5x", "5x5x5x5", "0x5", "-1x5", "5X5", "5 x 5", "axb", "9999999999x2"}) {
    EXPECT_THROW(parse_extent(text), InputError) << text;
  }
}

TEST(SecondsIn, ReadsHoursAndDays) {
  EXPECT_EQ(seconds_in("23:50:00"), 85800.0);
  EXPECT_EQ(seconds_in("0:00:07"), 7.0);
  EXPECT_EQ(seconds_in("100:00:00"), 360000.0);
  EXPECT_EQ(seconds_in("2-01:00:01"), 176401.0);
}

TEST(SecondsIn, RefusesOtherTexts) {
  for (char const* const text : {"", "50:00", "1:60:00", "1:00:60", "1:0:0", "1-24:00:00",
                                 "-1:00:00", "1:00:00 ", "1.5:00:00", "99999:00:00"}) {
    EXPECT_FALSE(seconds_in(text)) << text;
  }
}

}  // namespace
}  // namespace isotherm
