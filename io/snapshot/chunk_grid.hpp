#pragma once

#include "kernels/core/box.hpp"

namespace isotherm {

/// The chunk of a dataset of `points`: at most 16 × 128 × 128 points (z, y, x), 512 × 512 where
/// there is one plane, and as equal in size as they come.
Extent3 chunk_extent(Extent3 points);

/// The points of a dataset, cut into chunks. A chunk is named by its place among them.
class ChunkGrid {
 public:
  ChunkGrid(Extent3 points, Extent3 chunk) : points_(points), chunk_(chunk) {}

  [[nodiscard]] Extent3 chunk() const { return chunk_; }
  [[nodiscard]] std::int64_t points_in_chunk() const { return chunk_.x * chunk_.y * chunk_.z; }

  [[nodiscard]] Index3 first(Index3 chunk) const {
    return {chunk.x * chunk_.x, chunk.y * chunk_.y, chunk.z * chunk_.z};
  }

  /// The points of a chunk, those that the dataset has.
  [[nodiscard]] GlobalBox box(Index3 chunk) const;

  /// The chunks that have points of `box`, which is not empty.
  [[nodiscard]] GlobalBox touching(GlobalBox box) const;

  /// The chunks whose first point lies in `share`: a box of chunks. Shares that together are all
  /// points, without overlap, so get each chunk once.
  [[nodiscard]] GlobalBox beginning_in(GlobalBox share) const;

 private:
  Extent3 points_;
  Extent3 chunk_;
};

/// The index with the number `n` in a box, x fastest.
Index3 nth_index(GlobalBox box, std::int64_t n);

}  // namespace isotherm
