#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "io/snapshot/components.hpp"
#include "kernels/core/box.hpp"

namespace isotherm {

/// The points of a file's fields, cut into the blocks that have a checksum each: some whole planes,
/// or some whole rows of one plane, so that each lies in one piece where nothing is compressed.
/// They are numbered in the order of the file, whoever writes or reads it (docs/formats.md).
class BlockGrid {
 public:
  /// Blocks of at most 2^19 points (4 MiB of float64 values), or of one row where that is longer.
  explicit BlockGrid(Extent3 points);
  /// @param block  the points of a block, as a file says it
  /// @throws Error  where blocks are never cut like that
  BlockGrid(Extent3 points, Extent3 block);
  /// Blocks of the same points for fields of so many numbers a point (components.hpp), which count
  /// as points along x here.
  BlockGrid(Extent3 points, int components) : BlockGrid(BlockGrid(points).of_numbers(components)) {}
  [[nodiscard]] BlockGrid of_numbers(int components) const {
    return {numbers_of(points_, components), numbers_of(block_, components)};
  }

  [[nodiscard]] Extent3 points() const { return points_; }
  [[nodiscard]] Extent3 block() const { return block_; }
  [[nodiscard]] std::int64_t count() const { return in_plane_ * in_z_; }
  /// The points of a block.
  [[nodiscard]] GlobalBox box(std::int64_t number) const;

  /// Calls work(number of a block, its points in `box`) for the blocks that `box` has points of.
  /// What it is called with follows one another in a dense box.
  template <class Work>
  void for_each_part(GlobalBox box, Work&& work) const {
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
  std::int64_t in_plane_;  ///< blocks that begin in a plane
  std::int64_t in_z_;
};

/// Which points of a field a box has, for messages: "x = 0 to 127, z = 5", without the axes that it
/// has all points of; "all points" where that is so for each.
std::string name_of_points(GlobalBox box, Extent3 points);

}  // namespace isotherm
