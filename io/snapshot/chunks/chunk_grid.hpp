#pragma once

#include "kernels/core/box.hpp"

/// Chunks of compressed datasets. HDF5 compresses each chunk separately, so a box can be read
/// without unpacking the whole field.

namespace isotherm {

/// Returns the chunk size for a dataset of `points`. The limit is 16 × 128 × 128 points (z, y, x),
/// or 512 × 512 if there is a single plane. Within this limit the chunks are as equal in size as
/// possible.
/// For example, an axis of 1000 points with the limit 128 has 8 chunks of 125 points.
Extent3 chunk_extent(Extent3 points);

/// A dataset's points, divided into chunks of equal extent; the last chunk of an axis may reach
/// beyond the points. A chunk is identified by its index along each axis.
class ChunkGrid {
 public:
  /// @param chunk  the extent of a chunk in points
  ChunkGrid(Extent3 points, Extent3 chunk) : points_(points), chunk_(chunk) {}

  /// Returns the extent of a chunk.
  [[nodiscard]] Extent3 chunk() const { return chunk_; }
  /// Returns the points of a whole chunk, including those beyond the dataset.
  [[nodiscard]] std::int64_t points_in_chunk() const { return chunk_.x * chunk_.y * chunk_.z; }

  /// Returns the first point of a chunk.
  [[nodiscard]] Index3 first(Index3 chunk) const {
    return {chunk.x * chunk_.x, chunk.y * chunk_.y, chunk.z * chunk_.z};
  }

  /// Returns the points of a chunk that the dataset has.
  [[nodiscard]] GlobalBox box(Index3 chunk) const;

  /// Returns the chunks that intersect `box`. @pre box is not empty
  [[nodiscard]] GlobalBox touching(GlobalBox box) const;

  /// Returns the chunks whose first point lies in `share`; they form a box of chunks. If shares
  /// partition the points, each chunk begins in exactly one of them.
  [[nodiscard]] GlobalBox beginning_in(GlobalBox share) const;

 private:
  Extent3 points_;
  Extent3 chunk_;
};

/// Returns the index with the number `n` in a box, x fastest.
Index3 nth_index(GlobalBox box, std::int64_t n);

}  // namespace isotherm
