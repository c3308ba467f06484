#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <zlib.h>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/snapshot/datasets/stored_field.hpp"
#include "io/snapshot/layout.hpp"
#include "tests/io/support.hpp"
#include "tests/support/sanitized.hpp"

// Any changed byte of a file is either detected, or does not change what the file means.

namespace isotherm::test {
namespace {

constexpr std::size_t step_of_all = is_sanitized ? 61 : 1;

std::string bytes_in(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
void append(std::string& text, std::vector<T> const& values) {
  text.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
}

/// The attributes from which VTK's readers get the grid.
std::string vtk_attributes(hdf5::File const& file) {
  hdf5::Group const vtk(hdf5::check(H5Gopen2(file.get(), "VTKHDF", H5P_DEFAULT)));
  std::string all = hdf5::read_text_attribute(vtk.get(), "Type");
  append(all, hdf5::read_attribute<std::int64_t>(vtk.get(), "WholeExtent", 6));
  for (char const* const name : {"Origin", "Spacing"}) {
    append(all, hdf5::read_attribute<double>(vtk.get(), name, 3));
  }
  return all;
}

/// The axes as other programs find them: coordinates, and the field's references to them. HDF5
/// crashes on damaged references.
std::string axes_of(hdf5::File const& file, Grid const& grid) {
  std::string all;
  for (int axis = 0; axis < 3; ++axis) {
    char const* const name = layout::axis_names[static_cast<std::size_t>(axis)];
    hdf5::Dataset const scale(hdf5::check(H5Dopen2(file.get(), name, H5P_DEFAULT)));
    append(all, hdf5::read_numbers<double>(scale, name, grid.points[axis]));
  }
  hdf5::Dataset const u(hdf5::check(H5Dopen2(file.get(), "u", H5P_DEFAULT)));
  hdf5::Attribute const list(hdf5::check(H5Aopen(u.get(), "DIMENSION_LIST", H5P_DEFAULT)));
  hdf5::Datatype const type(hdf5::check(H5Aget_type(list.get())));
  hdf5::Dataspace const space(hdf5::check(H5Aget_space(list.get())));
  std::array<hvl_t, 3> scales{};
  hdf5::check(H5Aread(list.get(), type.get(), scales.data()));
  for (hvl_t const& scale : scales) all.append(static_cast<char*>(scale.p), sizeof(hobj_ref_t));
  hdf5::check(H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, scales.data()));
  return all;
}

/// Returns the whole meaning of a file as one text.
/// @throws InputError  if damage is found
std::string everything_in(std::filesystem::path const& path) {
  SnapshotInfo const info = read_snapshot_info(path);
  verify_snapshot(path, info);
  std::string all = info.field + info.case_text + info.fingerprint + info.state + info.version +
                    info.reason_not_resumable + name(info.stored_type);
  append(all, std::vector<std::uint64_t>{static_cast<std::uint64_t>(info.iteration),
                                         info.is_checkpoint, info.can_resume, info.checksum,
                                         info.has_block_checksums, info.grid.periodic[0],
                                         info.grid.periodic[1], info.grid.periodic[2],
                                         static_cast<std::uint64_t>(info.grid.dimension)});
  append(all, std::vector<Index3>{info.grid.points});
  append(all, std::vector<PerAxis<double>>{info.grid.lower, info.grid.spacing, {info.time_s}});
  std::vector<double> values(static_cast<std::size_t>(info.grid.point_count()));
  std::vector<std::string> fields = info.extra_fields;
  fields.push_back(info.field);
  for (std::string const& field : fields) {
    StoredField(path, info, field).read(info.grid.box(), values.data());
    all += field;
    append(all, values);
  }
  for (std::string const& field : info.vector_fields) {
    values.resize(3 * values.size());
    Extent3 const n = info.grid.points;
    StoredField(path, info, field).read({{}, {3 * n.x, n.y, n.z}}, values.data());
    all += field;
    append(all, values);
  }
  hdf5::QuietErrors const quiet;
  hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  return all + vtk_attributes(file) + axes_of(file, info.grid);
}

class FlippedBytes : public testing::Test {
 protected:
  void write(Extent3 points, StorageOptions const& options,
             SnapshotInfo const& info = some_info()) {
    Grid const grid = grid_of(points);
    Subdomain const whole(grid, {1, 1, 1}, 0);
    u = values_of<double>(whole);
    source = values_of<double>(whole, -0.3);
    std::vector<ExtraField<double>> extra{{"source", source.data()}};
    for (std::size_t i = 0; i < 3 * u.size(); ++i) vectors.push_back(0.1 * static_cast<double>(i));
    if (with_vectors) extra.push_back({"flux", vectors.data(), 3});
    write_snapshot<double>(alone, path, info, whole, u.data(), extra, options);
  }

  /// Returns the message about the file while one byte of it is changed; empty if there is none.
  std::string said_of(std::size_t offset, char byte) {
    int const file = ::open(path.c_str(), O_RDWR);
    char before = 0;
    EXPECT_EQ(::pread(file, &before, 1, static_cast<off_t>(offset)), 1);
    EXPECT_EQ(::pwrite(file, &byte, 1, static_cast<off_t>(offset)), 1);
    std::string const said = message_of<InputError>(
        [&] { EXPECT_EQ(everything_in(path), as_written) << "byte " << offset; });
    EXPECT_EQ(::pwrite(file, &before, 1, static_cast<off_t>(offset)), 1);
    EXPECT_EQ(::close(file), 0);
    return said;
  }

  /// Flips one bit of every `step`th byte, a different bit from byte to byte. Long runs of zeros,
  /// which HDF5 does not use, are sampled.
  /// @return  number of flips that were detected
  std::size_t flip_all(std::size_t step) {
    as_written = everything_in(path);
    std::string const bytes = bytes_in(path);
    std::size_t found = 0;
    for (std::size_t offset = 0; offset < bytes.size(); offset += step) {
      std::size_t const begin = offset < 8 ? 0 : offset - 8;
      if (offset % 32 != 0 && bytes.substr(begin, 16) == std::string(16, '\0')) continue;
      std::string const said =
          said_of(offset, static_cast<char>(bytes[offset] ^ (1 << (offset % 8))));
      EXPECT_TRUE(said.empty() || said.starts_with(path.string() + " is ")) << said;
      found += said.empty() ? 0 : 1;
    }
    return found;
  }

  mpi::Communicator alone{MPI_COMM_SELF};
  SharedDirectory directory{alone};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
  std::vector<double> u;
  std::vector<double> source;
  std::vector<double> vectors;
  bool with_vectors = false;
  std::string as_written;
};

TEST_F(FlippedBytes, SmallFileDetectsOrToleratesAll) {
  write({5, 4, 3}, {});
  EXPECT_GT(flip_all(step_of_all), 4000U / step_of_all);
}

TEST_F(FlippedBytes, FileWithVectorsDetectsOrToleratesAll) {
  with_vectors = true;
  write({4, 3, 2}, {});
  EXPECT_GT(flip_all(7), 600U);
}

TEST_F(FlippedBytes, CompressedFileDetectsOrToleratesAll) {
  write({7, 3, 1}, {.deflate_level = 6});
  EXPECT_GT(flip_all(17), 200U);
}

TEST_F(FlippedBytes, DamagedValuesAreReportedWithTheirField) {
  write({5, 4, 3}, {});
  as_written = everything_in(path);
  std::string const bytes = bytes_in(path);
  for (auto const& [field, values] : {std::pair{"u", &u}, {"source", &source}}) {
    std::string where;
    append(where, *values);
    std::size_t const begin = bytes.find(where);
    ASSERT_NE(begin, std::string::npos);
    for (std::size_t at = begin; at < begin + where.size(); at += 7) {
      EXPECT_EQ(said_of(at, static_cast<char>(bytes[at] ^ 0x80)),
                path.string() + " is damaged: in the values of \"" + field +
                    "\": the checksum of the block of all points is wrong");
    }
  }
}

/// Copies all objects into a new file, as h5repack does. HDF5 then places them elsewhere and writes
/// another superblock.
void rewrite(std::filesystem::path const& from, std::filesystem::path const& to) {
  hdf5::File const old(hdf5::check(H5Fopen(from.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  hdf5::File const copy(
      hdf5::check(H5Fcreate(to.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
  for (char const* const name : {"VTKHDF", "isotherm", "x", "y", "z"}) {
    hdf5::check(H5Ocopy(old.get(), name, copy.get(), name, H5P_DEFAULT, H5P_DEFAULT));
  }
}

TEST_F(FlippedBytes, RewrittenFileDetectsDamagedValuesAndAxes) {
  write({5, 4, 3}, {});
  EXPECT_FALSE(was_rewritten(path));
  std::filesystem::path const copy = directory / "u_000002.vtkhdf";
  rewrite(path, copy);
  SnapshotInfo const info = read_snapshot_info(copy);

  EXPECT_TRUE(was_rewritten(copy));
  verify_snapshot(copy, info);

  std::string const bytes = bytes_in(copy);
  std::string values;
  append(values, u);
  std::string coordinates;
  append(coordinates, coordinates_of(info.grid, 0));
  for (auto const& [what, where] : {std::pair{&values, "in the values of \"u\""},
                                    std::pair{&coordinates, "in its axes: the coordinates x"}}) {
    std::size_t const at = bytes.find(*what);
    ASSERT_NE(at, std::string::npos);
    std::string damaged = bytes;
    damaged[at + 6] = static_cast<char>(damaged[at + 6] ^ 1);
    std::ofstream(copy, std::ios::binary) << damaged;
    std::string const said = message_of<InputError>([&] { verify_snapshot(copy, info); });
    EXPECT_TRUE(said.starts_with(copy.string() + " is damaged: " + where)) << said;
  }
}

/// netCDF cannot open filtered texts. Octave's load stops at texts that are labelled UTF-8.
TEST_F(FlippedBytes, TextsAreUnfilteredAndLabelledAscii) {
  SnapshotInfo info = some_info();
  info.case_text = "title = \"Wärme in m², 20 °C\"\n";
  write({5, 4, 3}, {}, info);
  hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  hdf5::Group const own(hdf5::check(H5Gopen2(file.get(), layout::own_group, H5P_DEFAULT)));
  for (char const* const name : {"case", "fingerprint", "state"}) {
    hdf5::Dataset const text(hdf5::check(H5Dopen2(own.get(), name, H5P_DEFAULT)));
    EXPECT_TRUE(hdf5::filters_of(hdf5::creation_of(text)).empty()) << name;
    hdf5::Datatype const type(hdf5::check(H5Dget_type(text.get())));
    EXPECT_EQ(H5Tget_cset(type.get()), H5T_CSET_ASCII) << name;
  }
  hdf5::Attribute const field(hdf5::check(H5Aopen(own.get(), "field", H5P_DEFAULT)));
  hdf5::Datatype const type(hdf5::check(H5Aget_type(field.get())));
  EXPECT_EQ(H5Tget_cset(type.get()), H5T_CSET_ASCII);
  EXPECT_EQ(read_snapshot_info(path).case_text, info.case_text);
}

TEST_F(FlippedBytes, DamagedTimeAndIterationAreDetected) {
  write({5, 4, 3}, {});
  SnapshotInfo const info = read_snapshot_info(path);
  std::string const bytes = bytes_in(path);
  for (char const* const name : {"time", "iteration"}) {
    haddr_t place = 0;
    {
      hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
      place = H5Dget_offset(open_dataset(file.get(), name).get());
    }
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;

    EXPECT_EQ(message_of<InputError>([&] { verify_snapshot(path, info); }),
              fmt::format("{} is damaged: in its axes: the {} differs from the description",
                          path.string(), name));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  verify_snapshot(path, info);
}

TEST_F(FlippedBytes, UnreadableValuesAreNamedByTheirPoints) {
  write({5, 4, 3}, {});
  SnapshotInfo const info = read_snapshot_info(path);
  StoredField const field(path, info);
  std::filesystem::resize_file(path, 4096);
  SharedCheck found(field.blocks());

  std::string const said =
      message_of<InputError>([&] { field.read_checked(info.grid.box(), u.data(), found); });

  EXPECT_TRUE(said.starts_with(path.string() + " is damaged: in the values of \"u\": ")) << said;
  EXPECT_TRUE(said.ends_with(" (that of all points)")) << said;
}

/// An independent implementation of the checksum as docs/reference/formats.md defines it.
std::uint32_t sum_as_the_format_says(hid_t own) {
  std::string bytes;
  auto const name = [&](std::string const& text) { bytes += text + '\0'; };
  auto const text = [&](char const* key) {
    name(key);
    name(hdf5::read_text_attribute(own, key));
  };
  auto const whole = [&](char const* item, std::size_t count) {
    name(item);
    append(bytes, hdf5::read_attribute<std::int64_t>(own, item, count));
  };
  auto const real = [&](char const* of, std::size_t count) {
    name(of);
    append(bytes, hdf5::read_attribute<double>(own, of, count));
  };
  whole("format", 1);
  text("version");
  text("field");
  whole("iteration", 1);
  real("time", 1);
  text("role");
  whole("can_resume", 1);
  text("reason");
  whole("dimension", 1);
  whole("points", 3);
  real("lower", 3);
  real("spacing", 3);
  whole("periodic", 3);
  name("checksum");
  append(bytes, hdf5::read_attribute<std::uint64_t>(own, "checksum", 1));
  whole("block_points", 3);
  for (char const* const key : {"case", "fingerprint", "state"}) {
    name(key);
    hdf5::Dataset const dataset(hdf5::check(H5Dopen2(own, key, H5P_DEFAULT)));
    name(hdf5::read_text(dataset, key, 1 << 20));
  }
  name("type");
  name("float64");
  for (char const* const key : {"source", "u"}) {
    name(key);
    std::string const path = std::string("block_checksums/") + key;
    hdf5::Dataset const dataset(hdf5::check(H5Dopen2(own, path.c_str(), H5P_DEFAULT)));
    append(bytes, hdf5::read_numbers<std::uint64_t>(dataset, key, 1));
  }
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

TEST_F(FlippedBytes, ChecksumMatchesTheDocumentedFormat) {
  write({5, 4, 3}, {});
  hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  hdf5::Group const own(hdf5::check(H5Gopen2(file.get(), "isotherm", H5P_DEFAULT)));

  EXPECT_EQ(hdf5::read_attribute<std::uint64_t>(own.get(), "description_checksum"),
            sum_as_the_format_says(own.get()));
}

}  // namespace
}  // namespace isotherm::test
