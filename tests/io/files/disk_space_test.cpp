#include "io/files/disk_space.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/core/error.hpp"

// Refusals of files that do not fit: they state what is missing, down to a byte.

namespace isotherm::test {
namespace {

class DiskSpace : public testing::Test {
 protected:
  DiskSpace() { std::ofstream{path} << "u"; }
  ~DiskSpace() override { std::filesystem::remove(path); }
  DiskSpace(DiskSpace const&) = delete;
  DiskSpace& operator=(DiskSpace const&) = delete;

  std::string refusal(std::uint64_t bytes) {
    try {
      reserve_space(path, bytes);
    } catch (Error const& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path path = testing::TempDir() + "isotherm_space_" + std::to_string(::getpid());
};

TEST_F(DiskSpace, RefusalStatesMissingBytes) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  std::string const by_a_byte = refusal(4097), by_far = refusal((1U << 20U) + 4096);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);

  std::string const begin = "no space left for " + path.string() + ", which needs ";
  EXPECT_EQ(by_a_byte, begin +
                           "4097 bytes: that is 1 byte above the limit on file sizes (raise it "
                           "with ulimit -f)");
  EXPECT_EQ(by_far, begin +
                        "1028.0 KiB: that is 1024.0 KiB above the limit on file sizes (raise it "
                        "with ulimit -f)");
}

TEST_F(DiskSpace, RefusalOfFullDiskStatesWhatToDo) {
  // No disk has 4 EiB, and the limit on file sizes may be lower.
  std::string const refused = refusal(std::uint64_t{1} << 62U);
  EXPECT_NE(refused.find("no space left for " + path.string()), std::string::npos);
  EXPECT_TRUE(refused.find("the disk lacks ") != std::string::npos ||
              refused.find("above the limit on file sizes") != std::string::npos)
      << refused;
}

}  // namespace
}  // namespace isotherm::test
