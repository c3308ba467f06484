#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fstream>
#include <sys/resource.h>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"

// Detecting damaged snapshots, and never leaving one behind.

namespace isotherm::test {
namespace {

class DamagedSnapshot : public testing::Test {
 protected:
  DamagedSnapshot() { write(path); }

  void write(std::filesystem::path const& to) {
    write_snapshot<double>(world, to, some_info(), subdomain, owned.data(), {}, {});
  }

  /// Returns this rank's message about a file that the root has changed in `spoil`; empty if there
  /// is none.
  template <class Spoil>
  std::string refusal(Spoil&& spoil) {
    if (world.is_root()) {
      spoil();
    }
    world.barrier();
    std::vector<double> found(owned.size());
    return message_of<InputError>([&] { read_snapshot(world, path, subdomain, found.data()); });
  }

  void overwrite(std::string const& contents) { std::ofstream(path, std::ios::binary) << contents; }
  [[nodiscard]] std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Flips a bit of the byte that lies `offset` bytes after the first occurrence of `what`.
  void flip_after(std::string const& what, std::size_t offset) {
    std::string bytes = contents();
    std::size_t const at = bytes.find(what);
    ASSERT_NE(at, std::string::npos);
    bytes[at + offset] = static_cast<char>(bytes[at + offset] ^ 4);
    overwrite(bytes);
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
  Grid grid = grid_of({20, 21, 40});
  Subdomain subdomain{grid, choose_decomposition(grid, world.size()), world.rank()};
  std::vector<double> owned = values_of<double>(subdomain);
};

testing::AssertionResult says(std::string const& message, std::string const& part) {
  if (message.find(part) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << '"' << message << "\" does not say \"" << part << '"';
}

TEST_F(DamagedSnapshot, IntactFileIsRead) {
  EXPECT_EQ(refusal([] {}), "");
}

TEST_F(DamagedSnapshot, MissingFileIsRefused) {
  EXPECT_TRUE(says(refusal([&] { std::filesystem::remove(path); }), "no such file"));
}

TEST_F(DamagedSnapshot, DirectoryIsRefused) {
  EXPECT_TRUE(says(refusal([&] {
                     std::filesystem::remove(path);
                     std::filesystem::create_directory(path);
                   }),
                   "is not a file"));
}

TEST_F(DamagedSnapshot, TextIsRefused) {
  EXPECT_TRUE(says(refusal([&] { overwrite("no snapshot\n"); }), "is not an HDF5 file"));
}

TEST_F(DamagedSnapshot, EmptyFileIsRefused) {
  EXPECT_TRUE(says(refusal([&] { overwrite(""); }), "is not an HDF5 file"));
}

TEST_F(DamagedSnapshot, TruncatedFileIsRefused) {
  std::uintmax_t const size = std::filesystem::file_size(path);
  for (std::uintmax_t const length : {size - 1, size / 2, std::uintmax_t{600}}) {
    EXPECT_TRUE(says(refusal([&] { std::filesystem::resize_file(path, length); }), "truncated"));
  }
}

TEST_F(DamagedSnapshot, ForeignFileIsRefused) {
  EXPECT_TRUE(says(refusal([&] {
                     hdf5::File const file(hdf5::check(
                         H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
                   }),
                   "not one that isotherm wrote"));
}

TEST_F(DamagedSnapshot, FlippedBitOfAValueIsRefusedOnEveryRank) {
  std::string const value(reinterpret_cast<char const*>(owned.data()), 2 * sizeof(double));

  std::string const message = refusal([&] { flip_after(value, 3); });

  EXPECT_EQ(message, path.string() +
                         " is damaged: in the values of \"u\": the checksum of the block of all "
                         "points is wrong");
}

TEST_F(DamagedSnapshot, FlippedBitOfACompressedValueIsRefusedWithItsPlace) {
  write_snapshot<double>(world, path, some_info(), subdomain, owned.data(), {},
                         {.deflate_level = 1});
  std::string const message = refusal([&] {
    haddr_t place = 0;
    {
      hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
      hdf5::Dataset const u(hdf5::check(H5Dopen2(file.get(), "/VTKHDF/PointData/u", H5P_DEFAULT)));
      std::array<hsize_t, 3> const first{28, 0, 0};  // a chunk has 14 planes
      unsigned left_out = 0;
      hsize_t bytes = 0;
      hdf5::check(H5Dget_chunk_info_by_coord(u.get(), first.data(), &left_out, &place, &bytes));
    }
    std::string bytes = contents();
    bytes[place + 100] = static_cast<char>(bytes[place + 100] ^ 1);
    overwrite(bytes);
  });

  EXPECT_TRUE(
      says(message, "is damaged: in the values of \"u\": the checksum of a chunk of values"));
  EXPECT_TRUE(says(message, "(that of z at points 28 to 39)"));
}

TEST_F(DamagedSnapshot, VerifyFindsAFlippedBitInAnotherField) {
  std::vector<double> const source = values_of<double>(subdomain, -0.5);
  write_snapshot<double>(world, path, some_info(), subdomain, owned.data(),
                         {{"source", source.data()}}, {});
  std::string const value(reinterpret_cast<char const*>(source.data() + 1), sizeof(double));

  EXPECT_EQ(refusal([&] { flip_after(value, 2); }), "");  // this field was not read

  std::string const message =
      message_of<InputError>([&] { verify_snapshot(path, read_snapshot_info(path)); });
  EXPECT_TRUE(
      says(message, "in the values of \"source\": the checksum of the block of all points"));
}

TEST_F(DamagedSnapshot, FlippedBitOfABlockChecksumIsRefused) {
  // also the checksum of the only block
  std::uint64_t const sum = read_snapshot_info(path).checksum;
  std::string const bytes(reinterpret_cast<char const*>(&sum), sizeof sum);
  world.barrier();

  EXPECT_TRUE(says(refusal([&] { flip_after(bytes, 5); }),
                   "is damaged: in its description: its checksum is wrong"));
}

TEST_F(DamagedSnapshot, FlippedBitOfTheDescriptionIsRefused) {
  // the attribute's name and the class of its type
  std::string const attribute("iteration\0\x10", 11);
  EXPECT_TRUE(says(refusal([&] { flip_after(attribute, 20); }), "is damaged: in its description"));
}

TEST_F(DamagedSnapshot, FlippedBitOfTheCaseIsRefused) {
  EXPECT_TRUE(says(refusal([&] { flip_after("[grid]", 2); }), "is damaged: in its description"));
}

// HDF5's index of chunks has no checksum of its own.
TEST_F(DamagedSnapshot, FlippedBitOfAChunkIndexIsRefused) {
  std::size_t place = 0;
  for (int text = 0; text < 3; ++text) {  // case, fingerprint and state
    write(path);
    place = contents().find("TREE", place + 1);
    for (std::size_t const offset : {std::size_t{24}, std::size_t{28}, std::size_t{32}}) {
      std::string const message = refusal([&] {
        std::string bytes = contents();
        bytes[place + offset] = static_cast<char>(bytes[place + offset] ^ 1);
        overwrite(bytes);
      });
      EXPECT_TRUE(says(message, "is damaged")) << text << ' ' << offset;
      world.barrier();
      write(path);
    }
  }
}

TEST_F(DamagedSnapshot, OtherChecksumIsRefused) {
  EXPECT_TRUE(
      says(refusal([&] {
             hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
             hdf5::Group const group(hdf5::check(H5Gopen2(file.get(), "isotherm", H5P_DEFAULT)));
             hdf5::check(H5Adelete(group.get(), "checksum"));
             hdf5::write_attribute(group.get(), "checksum", std::uint64_t{1});
           }),
           "in its description: its checksum is wrong"));
}

TEST_F(DamagedSnapshot, ExternalValuesAreRefusedOnEveryRank) {
  std::string const message = refusal([&] {
    hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
    char const* const values = "/VTKHDF/PointData/u";
    hdf5::check(H5Ldelete(file.get(), values, H5P_DEFAULT));
    hdf5::check(
        H5Lcreate_external("other.vtkhdf", values, file.get(), values, H5P_DEFAULT, H5P_DEFAULT));
  });

  EXPECT_TRUE(says(message, "\"u\" is a link to another file"));
}

/// Limits the size of this process's files, which acts like a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : on_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit small = limit_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, on_signal_);
  }
  SmallFiles(SmallFiles const&) = delete;
  SmallFiles& operator=(SmallFiles const&) = delete;

 private:
  rlimit limit_{};
  void (*on_signal_)(int);
};

TEST_F(DamagedSnapshot, FailedWriteLeavesNoFile) {
  for (rlim_t const bytes : {rlim_t{0}, rlim_t{3'000}, rlim_t{20'000}, rlim_t{70'000}}) {
    std::string message;
    {
      SmallFiles const full_disk(bytes);
      message = message_of<Error>([&] { write(path); });
    }
    world.barrier();

    EXPECT_NE(message, "") << bytes;
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp")) << bytes;
    EXPECT_EQ(refusal([] {}), "") << bytes;
  }
}

TEST_F(DamagedSnapshot, MissingDirectoryIsRefused) {
  std::string const message = message_of<Error>([&] { write(directory / "none/u_1.vtkhdf"); });

  EXPECT_TRUE(says(message, "No such file or directory"));
}

}  // namespace
}  // namespace isotherm::test
