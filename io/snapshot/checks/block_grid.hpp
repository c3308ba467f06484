#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "decomposition/grid/grid.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "kernels/core/box.hpp"

namespace isotherm {

/// The points of a file's fields, divided into the blocks that have a checksum each. A block
/// consists of whole planes, or of whole rows of one plane, so it is contiguous in an uncompressed
/// file. Blocks are numbered in the order of the file, independently of ranks and chunks
/// (docs/reference/formats.md).
///
/// For example, 512 x 512 x 512 points form 256 blocks of 512 x 512 x 2 points.
class BlockGrid {
 public:
  /// Creates blocks of at most 2^19 points (4 MiB of float64 values), or of one row if a row has
  /// more.
  explicit BlockGrid(Extent3 points);
  /// @param block  the points of a block, as a file claims them
  /// @throws Error  if blocks never have such an extent
  BlockGrid(Extent3 points, Extent3 block);
  /// Creates blocks of the same points for fields with several numbers at each point
  /// (components.hpp). These count as points along x here.
  BlockGrid(Extent3 points, int components) : BlockGrid(BlockGrid(points).of_numbers(components)) {}
  /// Returns the same blocks for a field with `components` numbers at each point.
  [[nodiscard]] BlockGrid of_numbers(int components) const {
    return {numbers_of(points_, components), numbers_of(block_, components)};
  }

  /// Returns the points of the whole field.
  [[nodiscard]] Extent3 points() const { return points_; }
  /// Returns the extent of a block; the last block of an axis may be smaller.
  [[nodiscard]] Extent3 block() const { return block_; }
  /// Returns the number of blocks.
  [[nodiscard]] std::int64_t count() const { return in_plane_ * in_z_; }
  /// Returns the points of the block with this number.
  [[nodiscard]] GlobalBox box(std::int64_t number) const;

  /// Calls work(number of a block, its points in `box`) for the blocks that intersect `box`. The
  /// parts follow one another in a dense array of the box's values.
  template <class Work>
  void for_each_part(GlobalBox box, Work&& work) const {
    // Blocks contain several planes only if they contain whole planes. So a part is contiguous in
    // the box even if k_end > k + 1.
    for (std::int64_t k = box.lower.z, k_end = 0; k < box.upper.z; k = k_end) {
      k_end = std::min(box.upper.z, (k / block_.z + 1) * block_.z);
      for (std::int64_t j = box.lower.y, j_end = 0; j < box.upper.y; j = j_end) {
        j_end = std::min(box.upper.y, (j / block_.y + 1) * block_.y);
        work(k / block_.z * in_plane_ + j / block_.y,
             GlobalBox{{box.lower.x, j, k}, {box.upper.x, j_end, k_end}});
      }
    }
  }

 private:
  Extent3 points_;
  Extent3 block_;
  std::int64_t in_plane_;  ///< blocks that begin in one plane
  std::int64_t in_z_;      ///< layers of blocks along z
};

/// Returns the points of a box for messages, by their coordinates and indices: "z = 0.25 (point
/// 5)". Axes on which the box has all `points` are left out.
/// @param points  extent in numbers: along x a vector field has several for each point. Boxes of
///   vectors have whole rows
/// @param grid  null if it is not known: then only indices are given, "z at point 5"
std::string name_of_points(GlobalBox box, Extent3 points, Grid const* grid);

}  // namespace isotherm
