#include "io/snapshot/checked_field.hpp"

#include <algorithm>
#include <omp.h>

#include "io/snapshot/chunk_grid.hpp"

namespace isotherm {
namespace {

/// Whole chunks, first along x, then y, then z, of about four million values; of two chunks' for
/// each thread where these are more.
Extent3 piece_extent(Extent3 points) {
  std::int64_t const most_values =
      std::max(std::int64_t{1} << 22, std::int64_t{omp_get_max_threads()} << 19);
  Extent3 piece = chunk_extent(points);
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const times = most_values / (piece.x * piece.y * piece.z);
    piece[axis] = std::min(points[axis], piece[axis] * std::max<std::int64_t>(1, times));
  }
  return piece;
}

}  // namespace

CheckedField::CheckedField(std::filesystem::path const& path, SnapshotInfo const& info)
    : info_(info), field_(path, info), found_(field_.blocks()) {
  field_.require_all();
}

template <class Stored>
void CheckedField::read_as(GlobalBox piece, std::vector<Stored>& values) {
  values.resize(static_cast<std::size_t>(piece.point_count()));
  field_.read_checked(piece, values.data(), found_);
}

void CheckedField::read(GlobalBox piece, std::vector<double>& values) {
  if (info_.stored_type == Precision::float64) {
    return read_as(piece, values);
  }
  read_as(piece, narrow_);
  values.assign(narrow_.begin(), narrow_.end());
}

void for_each_piece(Extent3 points, std::function<void(GlobalBox)> const& action) {
  Extent3 const piece = piece_extent(points);
  Index3 at;
  for (at.z = 0; at.z < points.z; at.z += piece.z) {
    for (at.y = 0; at.y < points.y; at.y += piece.y) {
      for (at.x = 0; at.x < points.x; at.x += piece.x) {
        action(intersection(GlobalBox{at, at + piece}, GlobalBox{{}, points}));
      }
    }
  }
}

}  // namespace isotherm
