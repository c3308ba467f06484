#include "decomposition/ranks/abandoned_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

// Removing shared memory that killed ranks have left behind.

namespace isotherm::mpi {
namespace {

namespace fs = std::filesystem;

std::string own_maps() {
  std::ifstream file("/proc/self/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

class Abandoned : public testing::Test {
 protected:
  Abandoned() {
    std::string name = (fs::temp_directory_path() / "abandoned-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    host_ = host.data();
    processes_ = directory_ / "proc";
    process("17", "");
  }
  ~Abandoned() override { fs::remove_all(directory_); }

  /// Creates a fake process of this user; without `maps` it hides its maps.
  void process(std::string const& number, std::optional<std::string> const& maps,
               std::string const& name = "isotherm") {
    fs::path const folder = processes_ / number;
    fs::create_directories(folder);
    std::ofstream(folder / "status")
        << "Name:\t" << name << "\nUid:\t" << geteuid() << "\t0\t0\t0\n";
    std::ofstream(folder / "comm") << name << "\n";
    if (maps) {
      std::ofstream(folder / "maps") << *maps;
    }
  }
  AbandonedMemory removed() { return remove_abandoned_memory(directory_, processes_); }

  /// Creates a file of 4096 bytes, one day old.
  fs::path old_file(std::string const& name) {
    fs::path path = directory_ / name;
    std::ofstream(path) << std::string(4096, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24));
    return path;
  }

  fs::path directory_;
  fs::path processes_;
  std::string host_;
};

TEST_F(Abandoned, FilesAreRemoved) {
  auto const vader = old_file("vader_segment." + host_ + ".0.5f000001.2");
  auto const window = old_file("osc_sm." + host_ + ".5f000001.4.0");

  AbandonedMemory const found = removed();

  EXPECT_EQ(found.files, 2);
  EXPECT_EQ(found.bytes, 8192);
  EXPECT_FALSE(fs::exists(vader));
  EXPECT_FALSE(fs::exists(window));
}

TEST_F(Abandoned, KeepsOtherFiles) {
  auto const other_host = old_file("vader_segment." + host_ + "x.0.5f000001.2");
  auto const somebody_s = old_file("notes." + host_ + ".txt");
  auto const link = directory_ / ("vader_segment." + host_ + ".0.5f000001.9");
  fs::create_symlink(somebody_s, link);

  EXPECT_EQ(removed().files, 0);
  EXPECT_TRUE(fs::exists(other_host));
  EXPECT_TRUE(fs::exists(link));
}

TEST_F(Abandoned, KeepsRecentFiles) {
  auto const path = old_file("vader_segment." + host_ + ".0.5f000001.2");
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(2));

  EXPECT_EQ(removed().files, 0);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(Abandoned, KeepsMappedFiles) {
  auto const path = old_file("vader_segment." + host_ + ".0.5f000001.2");
  auto const longer = old_file("vader_segment." + host_ + ".0.5f000001.21");
  int const descriptor = open(path.c_str(), O_RDWR);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  ASSERT_NE(mapped, MAP_FAILED);
  process("18", own_maps());

  EXPECT_EQ(removed().files, 1);
  EXPECT_TRUE(fs::exists(path));
  EXPECT_FALSE(fs::exists(longer));

  munmap(mapped, 4096);
  process("18", own_maps());
  EXPECT_EQ(removed().files, 1);
}

TEST_F(Abandoned, KeepsAllIfAProcessHidesItsMaps) {
  auto const path = old_file("vader_segment." + host_ + ".0.5f000001.2");
  process("18", std::nullopt);

  EXPECT_EQ(removed().files, 0);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(Abandoned, SystemProcessesMayHideTheirMaps) {
  old_file("vader_segment." + host_ + ".0.5f000001.2");
  process("1", std::nullopt, "init");
  process("18", std::nullopt, "sshd");
  process("19", std::nullopt, "(sd-pam)");
  process("20", std::nullopt, "ssh-agent");
  process("21", std::nullopt, "systemd");

  EXPECT_EQ(removed().files, 1);
}

TEST_F(Abandoned, MissingDirectoriesAreIgnored) {
  EXPECT_EQ(remove_abandoned_memory(directory_ / "missing").files, 0);
  old_file("vader_segment." + host_ + ".0.5f000001.2");
  EXPECT_EQ(remove_abandoned_memory(directory_, directory_ / "missing").files, 0);
}

}  // namespace
}  // namespace isotherm::mpi
