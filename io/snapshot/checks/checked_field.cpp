#include "io/snapshot/checks/checked_field.hpp"

#include <algorithm>
#include <omp.h>

#include "io/snapshot/chunks/chunk_grid.hpp"

namespace isotherm {
namespace {

/// Returns the extent of a piece: whole chunks, extended along x first, then y, then z, up to
/// approximately `max_values` values.
Extent3 piece_extent(Extent3 points, std::int64_t max_values) {
  // Whole chunks, so no chunk is unpacked for two pieces.
  Extent3 piece = chunk_extent(points);
  for (int axis = 0; axis < 3; ++axis) {
    // The number of chunks that fit along this axis, given the extents of the axes before it.
    std::int64_t const times = max_values / (piece.x * piece.y * piece.z);
    piece[axis] = std::min(points[axis], piece[axis] * std::max<std::int64_t>(1, times));
  }
  return piece;
}

/// Returns the values of a piece: 2^22, or 2^19 (two chunks) for each thread if that is more.
std::int64_t values_at_once() {
  return std::max(std::int64_t{1} << 22, std::int64_t{omp_get_max_threads()} << 19);
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
  // Checksums refer to the stored type, so float32 values are read as such and converted
  // afterwards.
  read_as(piece, narrow_);
  values.assign(narrow_.begin(), narrow_.end());
}

void CheckedField::finish(mpi::Communicator const& ranks) const {
  // The contributions of all ranks to a block add up to its checksum modulo 2^64.
  ValuesCheck found = found_.all();
  found.blocks = ranks.sum(std::move(found.blocks));
  field_.require_written(found);
}

std::vector<GlobalBox> pieces(Extent3 points, std::int64_t max_values) {
  // Pieces are listed in the order of the file: x fastest, then y, then z.
  Extent3 const piece = piece_extent(points, max_values);
  std::vector<GlobalBox> all;
  Index3 at;
  for (at.z = 0; at.z < points.z; at.z += piece.z) {
    for (at.y = 0; at.y < points.y; at.y += piece.y) {
      for (at.x = 0; at.x < points.x; at.x += piece.x) {
        all.push_back(intersection(GlobalBox{at, at + piece}, GlobalBox{{}, points}));
      }
    }
  }
  return all;
}

PieceRange own_pieces(mpi::Communicator const& ranks, std::size_t count) {
  auto const rank = static_cast<std::size_t>(ranks.rank());
  auto const size = static_cast<std::size_t>(ranks.size());
  return {count * rank / size, count * (rank + 1) / size};
}

void require_sound(std::filesystem::path const& path, SnapshotInfo const& info,
                   StoredField const& field, ValuesCheck const& found) {
  field.require_written(found);
  if (field.name() == info.field && info.can_resume && !found.finite) {
    throw InputError(path.string() +
                     " is damaged: it is marked as resumable, but contains values that are "
                     "infinite or not a number");
  }
}

void for_each_piece(Extent3 points, std::function<void(GlobalBox)> const& action) {
  for (GlobalBox const& piece : pieces(points, values_at_once())) action(piece);
}

}  // namespace isotherm
