#include "app/run/log/residual_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

#include "kernels/core/error.hpp"

// The table residuals.csv, also of resumed runs.

namespace isotherm::app {
namespace {

std::string const heading = "iteration,time,residual,relative,error\n";

class ResidualLogTest : public testing::Test {
 protected:
  ~ResidualLogTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "residual_log_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::filesystem::path path_ = folder_ / "residuals.csv";
};

TEST_F(ResidualLogTest, WritesARowForEachResidual) {
  ResidualLog log(path_, std::nullopt);

  log.append({{0, 0.0, 2.0}, {100, 0.5, 0.5, 0.125}}, 2.0);

  EXPECT_EQ(contents(), heading + "0,0,2,1,\n100,0.5,0.5,0.25,0.125\n");
  check_residuals(path_);
}

TEST_F(ResidualLogTest, NewRunReplacesTheTable) {
  ResidualLog(path_, std::nullopt).append({{0, 0.0, 2.0}}, 2.0);

  ResidualLog const again(path_, std::nullopt);

  EXPECT_EQ(contents(), heading);
}

TEST_F(ResidualLogTest, ResumingDropsLaterRows) {
  ResidualLog(path_, std::nullopt).append({{0, 0, 4}, {100, 0, 3}, {200, 0, 2}, {300, 0, 1}}, 4.0);

  ResidualLog(path_, 200).append({{200, 0, 2}}, 4.0);

  EXPECT_EQ(contents(), heading + "0,0,4,1,\n100,0,3,0.75,\n200,0,2,0.5,\n");
}

TEST_F(ResidualLogTest, DropsTruncatedRows) {
  ResidualLog(path_, std::nullopt).append({{0, 0, 4}}, 4.0);
  std::ofstream(path_, std::ios::app) << "10,0,3.1";

  ResidualLog const resumed(path_, 500);

  EXPECT_EQ(contents(), heading + "0,0,4,1,\n");
}

TEST_F(ResidualLogTest, ResumesTablesOfOlderVersions) {
  for (char const* const old :
       {"iteration,time_s,residual,relative", "iteration,time,residual,relative"}) {
    std::ofstream(path_) << old << "\n0,0,4,1\n100,0.5,3,0.75\n";
    check_residuals(path_);

    ResidualLog(path_, 100).append({{100, 0.5, 3}, {200, 1, 2, 0.5}}, 4.0);

    EXPECT_EQ(contents(), heading + "0,0,4,1,\n100,0.5,3,0.75,\n200,1,2,0.5,0.5\n");
    check_residuals(path_);
  }
}

TEST_F(ResidualLogTest, RefusesIncompleteRows) {
  for (char const* const row : {"0,0,4,\n", "0,0,4,1\n", "0,0,,1,0.5\n", "0,0,4,1,0.5,\n"}) {
    std::ofstream(path_) << heading << row;

    EXPECT_THROW(check_residuals(path_), InputError) << row;
  }
}

TEST_F(ResidualLogTest, RefusesATableWithOtherColumns) {
  std::ofstream(path_) << "iteration,seconds,residual,relative\n0,0,4,1\n";

  EXPECT_THROW(check_residuals(path_), InputError);
}

TEST_F(ResidualLogTest, NumbersReadBackExactly) {
  double const value = 1.0 / 3.0;
  ResidualLog(path_, std::nullopt).append({{7, 0.1 + 0.2, value}}, 0.0);

  std::string const text = contents();

  EXPECT_NE(text.find("\n7,0.30000000000000004,0.3333333333333333,0,\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace isotherm::app
