#include "io/files/atomic_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

#include "io/files/descriptor.hpp"
#include "kernels/core/error.hpp"

// Files that are replaced atomically.

namespace isotherm::test {
namespace {

std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() { std::filesystem::create_directories(directory); }
  ~AtomicFile() override { std::filesystem::remove_all(directory); }
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  std::filesystem::path directory =
      testing::TempDir() + "isotherm_atomic_" + std::to_string(::getpid());
  std::filesystem::path path = directory / "summary.json";
};

TEST_F(AtomicFile, ContainsExactlyWhatWasWritten) {
  std::string const bytes("a\n\0b", 4);

  write_file_atomically(path, bytes);

  EXPECT_EQ(contents(path), bytes);
}

TEST_F(AtomicFile, ReplacesAnOlderFileWithoutLeftovers) {
  write_file_atomically(path, "a long text");
  write_file_atomically(path, "short");

  EXPECT_EQ(contents(path), "short");
  EXPECT_FALSE(std::filesystem::exists(temporary_path(path)));
}

TEST_F(AtomicFile, BareNameIsInTheWorkingDirectory) {
  std::filesystem::path const before = std::filesystem::current_path();
  std::filesystem::current_path(directory);

  write_file_atomically("bare.txt", "text");

  std::filesystem::current_path(before);
  EXPECT_EQ(contents(directory / "bare.txt"), "text");
}

TEST_F(AtomicFile, DoesNotFollowALinkNamedLikeTheTemporaryFile) {
  std::ofstream(directory / "somebody's") << "precious";
  std::filesystem::create_symlink("somebody's", temporary_path(path));

  write_file_atomically(path, "text");

  EXPECT_EQ(contents(directory / "somebody's"), "precious");
  EXPECT_EQ(contents(path), "text");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST_F(AtomicFile, ChangesNothingIfItMayNotReplace) {
  std::ofstream(path) << "foreign";
  std::ofstream(temporary_path(path)) << "foreign, too";

  EXPECT_THROW(write_file_atomically(path, "text", [] { throw Error("moved"); }), Error);

  EXPECT_EQ(contents(path), "foreign");
  EXPECT_EQ(contents(temporary_path(path)), "foreign, too");
}

TEST_F(AtomicFile, ReplacesALinkButNotItsTarget) {
  std::ofstream(directory / "somebody's") << "precious";
  std::filesystem::create_symlink("somebody's", path);

  write_file_atomically(path, "text");

  EXPECT_EQ(contents(directory / "somebody's"), "precious");
  EXPECT_EQ(contents(path), "text");
}

TEST_F(AtomicFile, NewFileDoesNotShareAnOldInode) {
  std::ofstream(path) << "old";
  std::filesystem::create_hard_link(path, directory / "other name");

  write_all(create_new_file(path), "new", path);

  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(contents(directory / "other name"), "old");
}

TEST_F(AtomicFile, FailedReplacementKeepsTheOldFile) {
  std::filesystem::create_directories(path / "in the way");

  EXPECT_THROW(write_file_atomically(path, "text"), Error);

  EXPECT_TRUE(std::filesystem::exists(path / "in the way"));
  EXPECT_FALSE(std::filesystem::exists(temporary_path(path)));
}

TEST_F(AtomicFile, RefusedReplacementKeepsTheOldFile) {
  write_file_atomically(path, "old");

  int asked = 0;
  auto const refuse_when_whole = [&] {
    if (++asked == 1) {
      EXPECT_FALSE(std::filesystem::exists(temporary_path(path)));
      return;
    }
    EXPECT_EQ(contents(temporary_path(path)), "new");
    throw Error("elsewhere");
  };

  EXPECT_THROW(write_file_atomically(path, "new", refuse_when_whole), Error);
  EXPECT_EQ(asked, 2);

  EXPECT_EQ(contents(path), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary_path(path)));
}

TEST_F(AtomicFile, MissingDirectoryThrowsTheReasonOfTheSystem) {
  try {
    write_file_atomically(directory / "none" / "a", "text");
    FAIL() << "nothing was thrown";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace isotherm::test
