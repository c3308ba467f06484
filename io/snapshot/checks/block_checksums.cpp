#include "io/snapshot/checks/block_checksums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <zlib.h>

#include "io/hdf5/own_data.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/snapshot/layout.hpp"

namespace isotherm {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files store numbers in little-endian order");

/// The CRC-32 of names and their values, one after another. A zero byte ends each name and text, so
/// the boundary between two texts is part of the sum.
class NamedSum {
 public:
  template <class Number>
  void add(char const* name, std::vector<Number> const& numbers) {
    add_text(name);
    add_bytes(numbers.data(), numbers.size() * sizeof(Number));
  }
  void add(char const* name, std::int64_t number) { add(name, std::vector{number}); }
  void add(char const* name, double number) { add(name, std::vector{number}); }
  void add(char const* name, Index3 xyz) { add(name, std::vector{xyz.x, xyz.y, xyz.z}); }
  void add(char const* name, PerAxis<double> const& xyz) {
    add(name, std::vector(xyz.begin(), xyz.end()));
  }
  void add(char const* name, std::string const& text) {
    add_text(name);
    add_text(text);
  }

  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(sum_); }

 private:
  /// Adds a text and a zero byte. A text read from a file ends at its first zero byte, so the same
  /// applies here.
  void add_text(std::string_view text) {
    text = text.substr(0, text.find('\0'));
    add_bytes(text.data(), text.size());
    add_bytes("", 1);
  }
  void add_bytes(void const* bytes, std::size_t count) {
    // zlib's CRC-32 is incremental, so parts can be added one by one.
    sum_ = crc32_z(sum_, static_cast<Bytef const*>(bytes), count);
  }

  uLong sum_ = crc32_z(0, nullptr, 0);
};

/// Adds the entries of the grid; coordinates only of graded axes.
void add_grid(NamedSum& sum, Grid const& grid) {
  sum.add("dimension", std::int64_t{grid.dimension});
  sum.add("points", grid.points);
  sum.add("lower", grid.lower);
  sum.add("spacing", grid.spacing);
  sum.add("periodic", std::vector<std::int64_t>(grid.periodic.begin(), grid.periodic.end()));
  if (grid.geometry != Geometry::cartesian && grid.is_graded(0)) {
    sum.add(layout::geometry, std::string(name(grid.geometry)));
  }
  for (int axis = 0; axis < 3; ++axis) {
    // The coordinates of a uniform axis follow from lower and spacing.
    if (!grid.is_graded(axis)) continue;
    sum.add(layout::axis_names[static_cast<std::size_t>(axis)], grid.graded[axis].values());
  }
}

/// Reads how the points are divided into blocks.
BlockGrid read_grid(hid_t own, Extent3 points) {
  auto const block = hdf5::read_attribute<std::int64_t>(own, layout::block_points, 3);
  return {points, {block[0], block[1], block[2]}};
}

}  // namespace

std::uint64_t BlockChecksums::of_all(std::string const& field) const {
  auto const& sums = of_field.at(field);
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

bool has_block_checksums(hid_t own) {
  // All three are written together. If only some exist, the file is damaged.
  std::array const parts{hdf5::check(H5Aexists(own, layout::description_checksum)) > 0,
                         hdf5::check(H5Aexists(own, layout::block_points)) > 0,
                         has_link(own, layout::block_checksums)};
  require(parts[0] == parts[1] && parts[0] == parts[2], "some of its checksums are missing");
  return parts[0];
}

BlockChecksums read_block_checksums(hid_t own, Extent3 points, std::uint64_t file_bytes) {
  BlockChecksums blocks{read_grid(own, points)};
  auto const count = static_cast<std::uint64_t>(blocks.grid.count());
  hdf5::Group const group = open_group(own, layout::block_checksums);
  auto const fields = hdf5::link_names(group, layout::max_fields);
  require(
      // The division by the number of fields avoids an overflow of their product.
      count <= file_bytes * hdf5::max_deflated / sizeof(std::uint64_t) /
                   std::max<std::size_t>(1, fields.size()),
      fmt::format("its {} bytes are too few for {} checksums per field", file_bytes, count));
  // read_numbers() checks that each table has exactly `count` numbers.
  for (std::string const& field : fields) {
    blocks.of_field[field] =
        hdf5::read_numbers<std::uint64_t>(open_dataset(group.get(), field), field.c_str(), count);
  }
  return blocks;
}

// The order of the entries is part of the file format. Entries that older formats lack are added
// only if they are present.
std::uint32_t description_checksum(SnapshotInfo const& info, BlockChecksums const& blocks) {
  NamedSum sum;
  sum.add("format", info.format);
  sum.add("version", info.version);
  sum.add("field", info.field);
  sum.add("iteration", info.iteration);
  sum.add("time", info.time_s);
  sum.add("role", std::string(layout::role(info.is_checkpoint)));
  sum.add("can_resume", std::int64_t{info.can_resume});
  sum.add("reason", info.reason_not_resumable);
  if (!info.vector_fields.empty()) {
    sum.add(layout::vectors, layout::in_one_text(info.vector_fields));
  }
  add_grid(sum, info.grid);
  sum.add("checksum", std::vector{info.checksum});
  sum.add("block_points", blocks.grid.block());
  sum.add("case", info.case_text);
  sum.add("fingerprint", info.fingerprint);
  sum.add("state", info.state);
  sum.add("type", std::string(name(info.stored_type)));
  // The map is sorted, so the order of the fields is that of the bytes of their names.
  for (auto const& [field, sums] : blocks.of_field) {
    sum.add(field.c_str(), sums);
  }
  return sum.value();
}

}  // namespace isotherm
