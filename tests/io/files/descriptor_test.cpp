#include "io/files/descriptor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>

#include "tests/io/support.hpp"

// Reading at an offset of a file.

namespace isotherm::test {
namespace {

TEST(ReadAt, ReadsExactlyOrReportsTheEndOfTheFile) {
  std::filesystem::path const path = testing::TempDir() + "isotherm_descriptor_test";
  Descriptor const written = create_new_file(path);
  write_at(written, 0, "0123456789", 10, path);
  begin_writing_back(written, 0, 10);
  sync(written, path);
  Descriptor const file = open_file(path, O_RDONLY);
  std::array<char, 4> bytes{};

  read_at(file, 3, bytes.data(), 4, path);
  EXPECT_EQ(std::string_view(bytes.data(), 4), "3456");
  read_at(file, 10, bytes.data(), 0, path);
  std::string const said =
      message_of<Error>([&] { read_at(file, 8, bytes.data(), bytes.size(), path); });
  EXPECT_EQ(said, "cannot read " + path.string() + ": it ends at byte 10, but 2 more are needed");
  EXPECT_NE(message_of<Error>([&] {
              read_at(written, 0, bytes.data(), 4, path);
            }).find("cannot read " + path.string()),
            std::string::npos);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace isotherm::test
