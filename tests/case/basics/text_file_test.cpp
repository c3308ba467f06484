#include "case/basics/text/text_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "kernels/core/error.hpp"

// Reading text files and pipes safely.

namespace isotherm {
namespace {

class TextFile : public testing::Test {
 protected:
  ~TextFile() override { std::filesystem::remove_all(folder_); }

  static std::string refusal_of(std::filesystem::path const& file) {
    try {
      (void)read_text_file(file, "a case file");
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "text_file_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::filesystem::path path_ = folder_ / "case.toml";
};

TEST_F(TextFile, IsReadUnchanged) {
  std::string const text("a\r\n\0b", 5);
  std::ofstream(path_, std::ios::binary) << text;

  EXPECT_EQ(read_text_file(path_, "a case file"), text);
}

TEST_F(TextFile, MayBeAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string const text(200000, 'x');  // more than the capacity of a pipe
  std::thread writer([&] {
    std::size_t done = 0;
    while (done < text.size()) {
      done += static_cast<std::size_t>(write(ends[1], text.data() + done, text.size() - done));
    }
    close(ends[1]);
  });

  std::string const read =
      read_text_file("/proc/self/fd/" + std::to_string(ends[0]), "a case file");

  writer.join();
  close(ends[0]);
  EXPECT_EQ(read, text);
}

TEST_F(TextFile, DoesNotWaitForPipesWithoutWriters) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);

  EXPECT_EQ(read_text_file(path_, "a case file"), "");
}

TEST_F(TextFile, RefusesDirectoriesAndEndlessDevices) {
  EXPECT_EQ(read_text_file("/dev/null", "a plan table"), "");
  EXPECT_EQ(refusal_of("/dev/zero"),
            "/dev/zero is larger than 16 MiB, so it cannot be a case file");
  EXPECT_EQ(refusal_of(folder_), folder_.string() + " is a directory, not a case file");
}

TEST_F(TextFile, IsLimitedTo16MiB) {
  std::ofstream(path_) << "x";
  std::filesystem::resize_file(path_, 16 << 20);
  EXPECT_EQ(read_text_file(path_, "a case file").size(), std::size_t{16} << 20);

  std::filesystem::resize_file(path_, (16 << 20) + 1);
  EXPECT_EQ(refusal_of(path_),
            path_.string() + " is larger than 16 MiB, so it cannot be a case file");
}

TEST_F(TextFile, MissingFileIsReported) {
  EXPECT_EQ(refusal_of(path_), path_.string() + ": no such file");
}

}  // namespace
}  // namespace isotherm
