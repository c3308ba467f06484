#include "case/basics/text/csv_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "kernels/core/error.hpp"

// Tables in CSV: numbers, texts, quotes, and the messages about files that are none.

namespace isotherm::test {
namespace {

/// Returns the message about a text that is no table.
std::string complaint_about(std::string const& text) {
  try {
    (void)parse_csv(text, "t.csv");
  } catch (InputError const& error) {
    return error.what();
  }
  return "none";
}

TEST(CsvTable, HasNumbersAndTexts) {
  CsvTable const table = parse_csv(
      "time [s], status,\"a \"\"b\"\", c\",e\r\n0,done,1e3,\r\n+0.5,,nan,2\r\n\n", "t.csv");
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.columns[0].name, "time [s]");
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{0.0, 0.5}));
  EXPECT_TRUE(table.columns[1].begins_with_text);
  EXPECT_EQ(table.columns[1].first_text, "done");
  EXPECT_EQ(table.columns[2].name, "a \"b\", c");
  EXPECT_EQ(table.columns[2].numbers[0], 1000.0);
  EXPECT_TRUE(std::isnan(table.columns[2].numbers[1]));
  EXPECT_EQ(table.columns[2].first_text_line, 0);
  EXPECT_TRUE(std::isnan(table.columns[3].numbers[0]));
  EXPECT_EQ(table.find("e"), &table.columns[3]);
  EXPECT_EQ(table.find("f"), nullptr);
}

/// Comments are no rows, semicolons and tabs separate, and rows know their lines.
TEST(CsvTable, HasCommentsAndOtherSeparators) {
  for (std::string const separator : {",", ";", "\t"}) {
    CsvTable const table = parse_csv("# steel\nu [K]" + separator + "\"k\"\n# measured\n1" +
                                         separator + "2\n\n3 " + separator + " 4\n",
                                     "t.csv");
    ASSERT_EQ(table.columns.size(), 2U) << separator;
    EXPECT_EQ(table.columns[0].name, "u [K]");
    EXPECT_EQ(table.columns[1].numbers, (std::vector<double>{2.0, 4.0}));
    EXPECT_EQ(table.lines, (std::vector<std::int64_t>{4, 6}));
  }
}

TEST(CsvTable, NamesTheFirstTextInAColumnOfNumbers) {
  CsvTable const table = parse_csv(
      "\xef\xbb\xbf"
      "x,y\n1,2\n3,four\n5,six",
      "t.csv");
  EXPECT_EQ(table.columns[0].name, "x");
  EXPECT_FALSE(table.columns[1].begins_with_text);
  EXPECT_EQ(table.columns[1].first_text, "four");
  EXPECT_EQ(table.columns[1].first_text_line, 3);
}

TEST(CsvTable, AcceptsNumbersBeyondTheRangeOfDouble) {
  CsvTable const table = parse_csv("x\n1e999\n-1e999\n1e-999\n", "t.csv");
  EXPECT_TRUE(std::isinf(table.columns[0].numbers[0]));
  EXPECT_LT(table.columns[0].numbers[1], 0.0);
  EXPECT_EQ(table.columns[0].numbers[2], 0.0);
}

TEST(CsvCells, AreTrimmedAndMayBeQuoted) {
  using Cells = std::vector<std::string>;
  EXPECT_EQ(csv_cells(R"(time, "a,b" ,3)"), (Cells{"time", "a,b", "3"}));
  EXPECT_EQ(csv_cells("1,,"), (Cells{"1", "", ""}));
  EXPECT_EQ(csv_cells(""), Cells{""});
}

TEST(CsvTable, RefusesWhatIsNoTable) {
  EXPECT_EQ(complaint_about(""), "t.csv is empty");
  EXPECT_EQ(complaint_about("1,2\n3,4\n"),
            "t.csv: line 1 is not a header: it names no columns (needs names, as in time,value)");
  EXPECT_EQ(complaint_about(std::string("x,\0\n", 4)),
            "t.csv: line 1 is not a header: it contains control characters (needs a table in CSV)");
  EXPECT_EQ(complaint_about("x,y\n1,2\n3\n"),
            "t.csv: line 3 has 1 column instead of 2, unlike the header");
  EXPECT_EQ(complaint_about("x,y\n1,2,\n"),
            "t.csv: line 2 has 3 columns instead of 2, unlike the header");
  EXPECT_EQ(complaint_about("x" + std::string(1000, ',') + "\n"),
            "t.csv: line 1 has more than 1000 columns");
}

TEST(CsvTable, ReadsListsAsTextOrByTheirFirstNumber) {
  std::string const text = "points,max\n\"[21, 5]\",1\n\"[41,9]\",2\n[81],3\n";
  CsvTable const table = parse_csv(text, "grids.csv", ListCells::first_number);
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{21, 41, 81}));
  EXPECT_EQ(table.columns[0].first_text_line, 0);
  EXPECT_TRUE(parse_csv(text, "grids.csv").columns[0].begins_with_text);
}

}  // namespace
}  // namespace isotherm::test
