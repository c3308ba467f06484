#include "io/snapshot/checked_field.hpp"

#include <algorithm>

#include "io/snapshot/chunk_grid.hpp"

namespace isotherm {
namespace {

/// Whole chunks, first along x, then y, then z, of about four million values.
Extent3 block_extent(Extent3 points) {
  constexpr std::int64_t most_values = std::int64_t{1} << 22;
  Extent3 block = chunk_extent(points);
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const times = most_values / (block.x * block.y * block.z);
    block[axis] = std::min(points[axis], block[axis] * std::max<std::int64_t>(1, times));
  }
  return block;
}

}  // namespace

CheckedField::CheckedField(std::filesystem::path const& path, SnapshotInfo const& info)
    : path_(path), info_(info), field_(path, info) {
  field_.require_all();
}

template <class Stored>
void CheckedField::read_as(GlobalBox block, std::vector<Stored>& values) {
  values.resize(static_cast<std::size_t>(block.point_count()));
  sum_ += field_.read_checked(block, values.data()).checksum;
}

void CheckedField::read(GlobalBox block, std::vector<double>& values) {
  if (info_.stored_type == Precision::float64) {
    return read_as(block, values);
  }
  read_as(block, narrow_);
  values.assign(narrow_.begin(), narrow_.end());
}

void CheckedField::finish() const {
  if (sum_ != info_.checksum) {
    fail_on_checksum(path_);
  }
}

void for_each_block(Extent3 points, std::function<void(GlobalBox)> const& action) {
  Extent3 const block = block_extent(points);
  Index3 at;
  for (at.z = 0; at.z < points.z; at.z += block.z) {
    for (at.y = 0; at.y < points.y; at.y += block.y) {
      for (at.x = 0; at.x < points.x; at.x += block.x) {
        action(intersection(GlobalBox{at, at + block}, GlobalBox{{}, points}));
      }
    }
  }
}

void fail_on_checksum(std::filesystem::path const& path) {
  throw InputError(path.string() +
                   " is damaged: its values do not have the checksum they were written with");
}

}  // namespace isotherm
