#include "case/basics/text/wording.hpp"

#include <gtest/gtest.h>

// Similar names for suggestions, and texts that are safe on a terminal.

namespace isotherm {
namespace {

TEST(NearestName, IsASimilarName) {
  std::vector<std::string> const names{"ln", "sin", "sinh", "sqrt"};
  EXPECT_EQ(nearest_name("sinnh", names), "sinh");
  EXPECT_EQ(nearest_name("Sin", names), "sin");
  EXPECT_EQ(nearest_name("frobnicate", names), "");
  EXPECT_EQ(nearest_name("sn", names), "") << "any slip leads from one short name to another";
}

TEST(NearestName, ShortNamesMayHaveErrorsIfAllowed) {
  std::vector<std::string> const names{"x", "ln", "sin", "sinh", "exp"};
  EXPECT_EQ(nearest_name("sn", names, 1), "sin");  // not ln, which is equally near
  EXPECT_EQ(nearest_name("xp", names, 1), "exp");
  EXPECT_EQ(nearest_name("qqq", names, 1), "");
  EXPECT_EQ(nearest_name("q", names, 1), "") << "of one letter nothing would be left";
}

TEST(NaturalOrder, ComparesNumbersInNames) {
  EXPECT_TRUE(precedes_naturally("q2.csv", "q10.csv"));
  EXPECT_FALSE(precedes_naturally("q10.csv", "q2.csv"));
  EXPECT_TRUE(precedes_naturally("run/k=0.5", "run/k=10"));
  // Digits behind a point are a fraction, even of files with an ending.
  EXPECT_TRUE(precedes_naturally("k-0.05.csv", "k-0.1.csv"));
  EXPECT_TRUE(precedes_naturally("k-0.15", "k-0.2"));
  EXPECT_FALSE(precedes_naturally("k-0.2", "k-0.15"));
  EXPECT_TRUE(precedes_naturally("k-1", "k-1.5"));
  EXPECT_TRUE(precedes_naturally("k-9.5", "k-10.25"));
  EXPECT_FALSE(precedes_naturally("k-0.10", "k-0.1"));
  EXPECT_TRUE(precedes_naturally("a9b2", "a9b11"));
  EXPECT_TRUE(precedes_naturally("a", "a1"));
  EXPECT_FALSE(precedes_naturally("a01", "a1"));
  EXPECT_FALSE(precedes_naturally("a1", "a01"));
  EXPECT_TRUE(precedes_naturally("99999999999999999998", "99999999999999999999"));
}

TEST(Visible, KeepsPlainText) {
  for (char const* const text : {"", "plain", "täst ∇·∇u ≤ 10⁻³", "a\\b", "𝛼 x × y"}) {
    EXPECT_EQ(visible(text), text);
  }
}

TEST(Visible, EscapesControlCharacters) {
  EXPECT_EQ(visible("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(visible("a\nb\rc\td\x7f"), "a\\x0ab\\x0dc\\x09d\\x7f");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\xc2\x9b"
                    "2J"),
            "\\u009b2J");  // CSI as one character
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "txt\xe2\x80\xa8"),
            "\\u202etxt\\u2028");
}

TEST(Visible, EscapesInvalidUtf8) {
  EXPECT_EQ(visible("a\x9b"
                    "b\xff"),
            "a\\x9bb\\xff");
  EXPECT_EQ(visible("\xc3"), "\\xc3");           // a truncated character
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");  // an overlong encoding
  EXPECT_EQ(visible("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last code point
}

TEST(VisibleLines, KeepsLinesAndTabs) {
  EXPECT_EQ(visible_lines("a\n\tb\r\n\x1b"), "a\n\tb\\x0d\n\\x1b");
}

TEST(OneLine, ReplacesNewlinesAndTruncates) {
  EXPECT_EQ(one_line("a\nb\tc\x1b"), "a b c\\x1b");
  EXPECT_EQ(one_line("abcdef", 3), "abc...");
  EXPECT_EQ(one_line("aä", 2), "a...");
  EXPECT_EQ(in_quotes("a\nb"), "\"a b\"");
}

}  // namespace
}  // namespace isotherm
