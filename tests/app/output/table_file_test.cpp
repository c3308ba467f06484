#include "app/run/log/table_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

// Tables that grow during a run: only complete times are kept on resume.

namespace isotherm::app {
namespace {

class TableFileTest : public testing::Test {
 protected:
  ~TableFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "table_file_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::filesystem::path path_ = folder_ / "table.csv";
};

constexpr char const* two_moments = "iteration,x,value\n0,1,5\n0,2,6\n9,1,7\n9,2,8\n";

TEST_F(TableFileTest, DropsAnIncompleteLastTime) {
  std::ofstream(path_) << "iteration,x,value\n0,1,5\n0,2,6\n9,1,7\n9,2";

  TableFile table(path_, "iteration,x,value", 9, 2);

  EXPECT_EQ(table.known_up_to(), 0);
  table.add("9,1,7\n9,2,8\n");
  table.write();
  EXPECT_EQ(contents(), two_moments);
}

TEST_F(TableFileTest, KeepsCompleteTimes) {
  std::ofstream(path_) << two_moments << "20,1,9\n";

  TableFile const table(path_, "iteration,x,value", 19, 2);

  EXPECT_EQ(table.known_up_to(), 9);
  EXPECT_EQ(contents(), two_moments);
}

TEST_F(TableFileTest, DropsASingleIncompleteTime) {
  std::ofstream(path_) << "iteration,x,value\n0,1,5\n";

  TableFile const table(path_, "iteration,x,value", 19, 2);

  EXPECT_EQ(table.known_up_to(), -1);
  EXPECT_EQ(contents(), "iteration,x,value\n");
}

TEST_F(TableFileTest, RefusesOtherFilesOfItsName) {
  TableFile table(path_, "iteration,value", std::nullopt);
  std::filesystem::rename(path_, folder_ / "moved.csv");
  std::ofstream(path_) << "another\n";
  table.add("0,1\n");

  EXPECT_ANY_THROW(table.write());
  EXPECT_EQ(contents(), "another\n");
  std::filesystem::rename(folder_ / "moved.csv", path_);
  table.write();
  EXPECT_EQ(contents(), "iteration,value\n0,1\n");
}

}  // namespace
}  // namespace isotherm::app
