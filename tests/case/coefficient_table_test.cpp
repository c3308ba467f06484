#include "case/data/coefficient_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "kernels/core/error.hpp"

// Coefficients that depend on the solution, from tables.

namespace isotherm::test {
namespace {

class CoefficientTable : public testing::Test {
 protected:
  void SetUp() override {
    std::string const test = testing::UnitTest::GetInstance()->current_test_info()->name();
    file_ = std::filesystem::path(testing::TempDir()) / ("isotherm-" + test + ".csv");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::filesystem::path const& written(std::string const& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  /// Returns the message that refuses a table.
  std::string message(std::string const& text, bool is_enthalpy = false) {
    try {
      (void)(is_enthalpy ? read_capacity_of_enthalpy(written(text))
                         : read_coefficient(written(text)));
    } catch (InputError const& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path file_;
};

double at(ScalarFunction const& function, double u) { return function(0.3, 0.2, 0.1, u); }

TEST_F(CoefficientTable, IsLinearBetweenRowsAndConstantBeyond) {
  ScalarFunction const function = read_coefficient(written("u,k\n-1,2\n1,6\n2,5\n"));
  EXPECT_TRUE(function.depends_on_u);
  EXPECT_FALSE(function.varies_in_time);
  EXPECT_EQ(function.breaks_in_u, (std::vector<double>{-1.0, 1.0, 2.0}));
  EXPECT_EQ(at(function, -7.0), 2.0);
  EXPECT_EQ(at(function, -1.0), 2.0);
  EXPECT_EQ(at(function, 0.0), 4.0);
  EXPECT_EQ(at(function, 1.0), 6.0);
  EXPECT_EQ(at(function, 1.25), 5.75);
  EXPECT_EQ(at(function, 9.0), 5.0);
  EXPECT_TRUE(std::isnan(at(function, std::numeric_limits<double>::quiet_NaN())));
}

TEST_F(CoefficientTable, EnthalpyGivesItsSlopes) {
  ScalarFunction const function =
      read_capacity_of_enthalpy(written("u,H\n-10,-15\n0,-5\n1,15\n3,25\n"));
  EXPECT_EQ(at(function, -20.0), 1.0);
  EXPECT_EQ(at(function, -5.0), 1.0);
  EXPECT_EQ(at(function, 0.5), 20.0);
  EXPECT_EQ(at(function, 2.0), 5.0);
  EXPECT_EQ(at(function, 30.0), 5.0);
  EXPECT_TRUE(std::isnan(at(function, std::numeric_limits<double>::quiet_NaN())));
}

TEST_F(CoefficientTable, TextDistinguishesValues) {
  std::string const first = read_coefficient(written("u,k\n0,1\n1,2\n")).text;
  EXPECT_EQ(read_coefficient(written("T [K], k [W/m]\n0.0,1.0\n1e0,2\n")).text, first);
  EXPECT_NE(read_coefficient(written("u,k\n0,1\n1,2.5\n")).text, first);
  EXPECT_NE(read_capacity_of_enthalpy(written("u,k\n0,1\n1,2\n")).text, first);
}

TEST_F(CoefficientTable, BadTablesAreRefused) {
  auto const expect = [](std::string const& found, std::string const& wanted) {
    EXPECT_NE(found.find(wanted), std::string::npos) << found;
  };
  expect(message("u,k\n1,2\n1,3\n"), "line 3: \"u\" is 1, not above that of the row before (1)");
  expect(message("u,k\n1,2\n2,oops\n"), "line 3: \"k\" is not a finite number");
  expect(message("u,k\n1,2\n2,\n"), "line 3: \"k\" is not a finite number");
  expect(message("u,k\n1,2\n"), "has 1 row below");
  expect(message("u,k,l\n1,2,3\n2,3,4\n"), "has 3 columns (needs two");
  expect(message("1,2\n2,3\n"), "line 1 is not a header");
  expect(message(""), ".csv");
  expect(message("u,H\n1,2\n2,2\n", true),
         "line 3: \"H\" is 2, not above that of the row before (2)");
  std::string rows = "u,k\n";
  for (int row = 0; row <= 10000; ++row) rows += std::to_string(row) + ",1\n";
  expect(message(rows), "has 10001 rows");
  expect(message("u,k\n" + std::string(std::size_t{2} << 20, '1')), "1 MiB");
  EXPECT_THROW((void)read_coefficient("/nowhere/at-all.csv"), InputError);
}

}  // namespace
}  // namespace isotherm::test
