#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "io/files/library_messages.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/library_version.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tests/fuzz/metadata_checksum.hpp"
#include "tests/io/support.hpp"

// Reading damaged snapshots: every input is accepted or refused cleanly.

namespace isotherm::test {
namespace {

constexpr Extent3 points{17, 9, 5};

std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_contents(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Complete files written by isotherm, which are damaged in child processes without MPI.
class FuzzedSnapshots : public testing::Test {
 protected:
  FuzzedSnapshots() {
    silence_hdf5();
    add({});
    StorageOptions compressed;
    compressed.deflate_level = 1;
    compressed.as_float32 = true;
    add(compressed);
  }

  void add(StorageOptions const& options) {
    Subdomain const subdomain(grid_of(points), {1, 1, 1}, 0);
    auto const values = values_of<double>(subdomain);
    auto const source = values_of<double>(subdomain, 2.0);
    auto const path = directory / "u_001234.vtkhdf";
    write_snapshot<double>(world, path, some_info(), subdomain, values.data(),
                           {{"source", source.data()}}, options);
    whole.push_back(contents(path));
  }

  /// Reads everything that isotherm reads from a file.
  static void use(std::filesystem::path const& path) {
    SnapshotInfo const info = read_snapshot_info(path);
    check_dataset(path, "/VTKHDF/PointData/u", info.grid);
    verify_snapshot(path, info);
  }

  /// The path of a file for this process only.
  [[nodiscard]] std::filesystem::path own_path() const {
    return directory / ("u_" + std::to_string(getpid()) + ".vtkhdf");
  }
  void use(std::string const& bytes) const {
    write_contents(own_path(), bytes);
    use(own_path());
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::vector<std::string> whole;
};

TEST_F(FuzzedSnapshots, MutatedBytesAreHandled) {
  std::vector<std::string> const words{std::string(8, '\xff'), std::string(8, '\0'), "OHDR",
                                       std::string("\1\0\0\0\0\0\0\0", 8)};
  fuzz(400, [&](std::uint64_t seed) {
    Random random(seed);
    std::string bytes = whole[random.below(whole.size())];
    // Half of the changes go to headers, which are a small fraction of the bytes.
    if (random.chance(2)) {
      auto const found = checked_parts(bytes);
      auto const& part = found[random.below(found.size())];
      bytes[part.begin + random.below(part.end - part.begin)] = static_cast<char>(random.next());
    } else if (random.chance(3)) {
      bytes.resize(random.below(bytes.size()));
    } else {
      bytes = mutated(random, std::move(bytes), words);
    }
    use(bytes);
  });
}

/// HDF5 trusts headers with correct checksums.
TEST_F(FuzzedSnapshots, MutatedHeadersWithValidChecksumsAreHandled) {
  Tolerance known;
  if (hdf5_version() < std::string("2")) {
    known = {
        "HDF5 " + hdf5_version() + " itself is known to do so; docs/explanation/reliability.md",
        25};
  }
  std::vector<std::vector<CheckedPart>> parts;
  for (std::string const& bytes : whole) {
    parts.push_back(checked_parts(bytes));
    ASSERT_GE(parts.back().size(), 5U) << "where are the headers?";
  }
  fuzz(
      300,
      [&](std::uint64_t seed) {
        Random random(seed);
        std::size_t const which = random.below(whole.size());
        std::string bytes = whole[which];
        CheckedPart const part = parts[which][random.below(parts[which].size())];
        for (std::size_t turns = 1 + random.below(4); turns > 0; --turns) {
          std::size_t const at = part.begin + 4 + random.below(part.end - part.begin - 4);
          constexpr std::array<unsigned char, 6> edges{0, 1, 0x7f, 0x80, 0xfe, 0xff};
          bytes[at] = static_cast<char>(random.chance(2) ? edges[random.below(edges.size())]
                                                         : random.next());
        }
        mend(bytes, part);
        use(bytes);
      },
      known);
}

/// Changes made through HDF5 itself: the file is valid HDF5, but not what isotherm writes.
class Changed {
 public:
  Changed(Random& random, hid_t file) : random_(random), file_(file) {}

  void change() {
    switch (random_.below(8)) {
      case 0:
        return replace_attribute();
      case 1:
        return remove_attribute();
      case 2:
        (void)H5Ldelete(file_, any_path(), H5P_DEFAULT);
        return;
      case 3:
        return link();
      case 4:
      case 5:
        return replace_dataset();
      case 6:
        (void)H5Lmove(file_, any_path(), file_, any_path(), H5P_DEFAULT, H5P_DEFAULT);
        return;
      default:
        return resize_text();
    }
  }

 private:
  char const* any_path() {
    static constexpr std::array<char const*, 9> paths{"/isotherm",
                                                      "/isotherm/case",
                                                      "/isotherm/fingerprint",
                                                      "/isotherm/state",
                                                      "/VTKHDF",
                                                      "/VTKHDF/PointData",
                                                      "/VTKHDF/PointData/u",
                                                      "/VTKHDF/PointData/source",
                                                      "/VTKHDF/PointData/w"};
    return paths[random_.below(paths.size())];
  }
  char const* any_attribute() {
    static constexpr std::array<char const*, 16> names{
        "format",  "version",    "field",    "role",       "reason", "iteration",
        "time",    "can_resume", "checksum", "dimension",  "points", "lower",
        "spacing", "periodic",   "Version",  "WholeExtent"};
    return names[random_.below(names.size())];
  }
  hid_t any_type() {
    hid_t const text = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(text, random_.chance(2) ? H5T_VARIABLE : 1 + random_.below(100000));
    hid_t const pair = H5Tcreate(H5T_COMPOUND, 16);
    (void)H5Tinsert(pair, "re", 0, H5T_IEEE_F64LE);
    (void)H5Tinsert(pair, "im", 8, H5T_IEEE_F64LE);
    hsize_t const many[] = {1 + random_.below(1000)};
    std::array<hid_t, 12> const types{H5T_IEEE_F64LE,
                                      H5T_IEEE_F32LE,
                                      H5T_IEEE_F64BE,
                                      H5T_STD_I8LE,
                                      H5T_STD_I64LE,
                                      H5T_STD_U64LE,
                                      H5T_STD_B16LE,
                                      text,
                                      pair,
                                      H5Tvlen_create(H5T_STD_I32LE),
                                      H5Tarray_create2(H5T_IEEE_F64LE, 1, many),
                                      H5T_STD_REF_OBJ};
    return types[random_.below(types.size())];
  }
  /// A dataspace of few points, or of very many if nothing is stored.
  hid_t any_space(bool may_be_huge) {
    if (random_.chance(8)) return H5Screate(random_.chance(2) ? H5S_NULL : H5S_SCALAR);
    auto const rank = static_cast<int>(1 + random_.below(random_.chance(6) ? 32 : 4));
    std::vector<hsize_t> extent;
    for (int axis = 0; axis < rank; ++axis) {
      bool const huge = may_be_huge && random_.chance(3);
      extent.push_back(huge ? hsize_t{1} << random_.below(60) : (rank > 8 ? 1 : random_.below(9)));
    }
    return H5Screate_simple(rank, extent.data(), nullptr);
  }
  hid_t any_creation() {
    hid_t const how = H5Pcreate(H5P_DATASET_CREATE);
    if (random_.chance(4)) {
      (void)H5Pset_external(how, "/dev/zero", 0, H5F_UNLIMITED);
    } else if (random_.chance(2)) {
      std::vector<hsize_t> chunk(1 + random_.below(4));
      for (hsize_t& extent : chunk) extent = 1 + random_.below(random_.chance(4) ? 1U << 20 : 8);
      (void)H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
      if (random_.chance(2)) (void)H5Pset_deflate(how, 1);
      if (random_.chance(3)) (void)H5Pset_shuffle(how);
      if (random_.chance(3)) (void)H5Pset_fletcher32(how);
      if (random_.chance(5)) (void)H5Pset_nbit(how);
      if (random_.chance(5)) (void)H5Pset_scaleoffset(how, H5Z_SO_INT, 3);
    } else if (random_.chance(3)) {
      (void)H5Pset_layout(how, H5D_COMPACT);
    }
    return how;
  }
  void remove_attribute() {
    (void)H5Adelete_by_name(file_, random_.chance(4) ? "/VTKHDF" : "/isotherm", any_attribute(),
                            H5P_DEFAULT);
  }
  void replace_attribute() {
    char const* const name = any_attribute();
    hid_t const group = H5Gopen2(file_, random_.chance(4) ? "/VTKHDF" : "/isotherm", H5P_DEFAULT);
    (void)H5Adelete(group, name);
    (void)H5Acreate2(group, name, any_type(), any_space(false), H5P_DEFAULT, H5P_DEFAULT);
  }
  void link() {
    char const* const to = any_path();
    char const* const from = any_path();
    (void)H5Ldelete(file_, from, H5P_DEFAULT);
    switch (random_.below(3)) {
      case 0:
        (void)H5Lcreate_soft(random_.chance(3) ? from : to, file_, from, H5P_DEFAULT, H5P_DEFAULT);
        return;
      case 1:
        (void)H5Lcreate_hard(file_, random_.chance(3) ? "/" : to, file_, from, H5P_DEFAULT,
                             H5P_DEFAULT);
        return;
      default:
        (void)H5Lcreate_external("/dev/zero", "/u", file_, from, H5P_DEFAULT, H5P_DEFAULT);
    }
  }
  void replace_dataset() {
    char const* const path = any_path();
    (void)H5Ldelete(file_, path, H5P_DEFAULT);
    (void)H5Dcreate2(file_, path, any_type(), any_space(true), H5P_DEFAULT, any_creation(),
                     H5P_DEFAULT);
  }
  void resize_text() {
    static constexpr std::array<char const*, 3> paths{"/isotherm/case", "/isotherm/fingerprint",
                                                      "/isotherm/state"};
    char const* const path = paths[random_.below(paths.size())];
    hid_t const type = H5Tcopy(H5T_C_S1);
    std::string const text =
        mutated(random_, R"({"iteration": 1234, "first_residual": [[[[1e999]]]]})",
                {"[", "{", "\"", "\xff"});
    (void)H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
    (void)H5Ldelete(file_, path, H5P_DEFAULT);
    hsize_t const one[] = {1};
    hid_t const dataset = H5Dcreate2(file_, path, type, H5Screate_simple(1, one, nullptr),
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, (text + '\0').data());
  }

  Random& random_;
  hid_t file_;
};

/// Closes all open HDF5 objects of the file.
void close_everything(hid_t file) {
  std::array<hid_t, 256> open{};
  for (unsigned const kind : {H5F_OBJ_DATASET, H5F_OBJ_GROUP, H5F_OBJ_ATTR, H5F_OBJ_DATATYPE}) {
    ssize_t const count = H5Fget_obj_ids(file, kind, open.size(), open.data());
    for (ssize_t i = 0; i < count; ++i) (void)H5Oclose(open[static_cast<std::size_t>(i)]);
    for (ssize_t i = 0; i < count; ++i) (void)H5Aclose(open[static_cast<std::size_t>(i)]);
  }
  (void)H5Fclose(file);
}

TEST_F(FuzzedSnapshots, ChangedStructuresAreHandled) {
  fuzz(200, [&](std::uint64_t seed) {
    Random random(seed);
    write_contents(own_path(), whole[random.below(whole.size())]);
    hid_t const file = H5Fopen(own_path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    require(file >= 0, "HDF5 cannot change a sound file");
    Changed changed(random, file);
    for (std::size_t turns = 1 + random.below(3); turns > 0; --turns) changed.change();
    close_everything(file);
    use(own_path());
  });
}

}  // namespace
}  // namespace isotherm::test
