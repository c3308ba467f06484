#pragma once

#include <vector>

#include "kernels/core/box.hpp"
#include "kernels/filters/surroundings.hpp"

namespace isotherm {

/// What a rank reads of a field, so that it has all that stands for its own points and for those
/// around them; and how what it read lies in a field.
struct Around {
  /// Some of the points.
  struct Piece {
    GlobalBox read{};  ///< where they are in the file
    LocalBox place{};  ///< where they lie in the field
  };

  Extent3 extent{};           ///< of the field, which the pieces are together
  std::vector<Piece> pieces;  ///< what wraps around an axis is read from its other end
  PerAxis<Ends> ends{};       ///< for surround(), to the owned points and as many as are reached

  [[nodiscard]] std::vector<GlobalBox> boxes() const;
  [[nodiscard]] std::int64_t point_count() const { return extent.x * extent.y * extent.z; }
};

/// @param reach  points to each side of the owned ones, maybe beyond the ends of the grid
Around around(GlobalBox owned, Extent3 points, Index3 reach, PerAxis<Beyond> const& beyond);

}  // namespace isotherm
