#pragma once

#include <vector>

#include "kernels/core/box.hpp"
#include "kernels/filters/padding.hpp"

namespace isotherm::app {

/// The surroundings of a rank's owned points: the boxes of a file that the rank must read, and the
/// position of each box in the rank's field. A table of weights can then be applied to the points.
///
/// The surroundings consist of the owned points and `reach` points on each side of them. Beyond the
/// ends of an axis they follow its boundary treatment (wrap, mirror, clamp, zero). Ranks exchange
/// nothing: each reads all that it needs.
///
///   PaddedRead const all = padded_read(part.owned_global(), grid.points, table.reach(), beyond);
///   read_snapshot_boxes<Real>(ranks, path, info, "u", all.boxes(), values);
struct PaddedRead {
  /// A box of points that is contiguous in the file and in the field.
  struct Piece {
    GlobalBox read{};  ///< the points in the file
    LocalBox place{};  ///< the points in the field
  };

  Extent3 extent{};             ///< of the field; the pieces together fill it
  std::vector<Piece> pieces;    ///< two along an axis if the points wrap around its end
  PerAxis<AxisPadding> ends{};  ///< for pad(), which adds the points beyond the ends

  /// Returns the boxes to be read, in the order of the pieces.
  [[nodiscard]] std::vector<GlobalBox> boxes() const;
  /// Returns the number of points in all pieces.
  [[nodiscard]] std::int64_t point_count() const { return extent.x * extent.y * extent.z; }
};

/// Returns the surroundings of `owned` in a grid of `points` points. Not collective; nothing is
/// read.
/// @param owned      the rank's points, not empty
/// @param reach      points on each side of the owned ones, possibly beyond the ends of the grid
/// @param edge_mode  boundary treatment of each axis
PaddedRead padded_read(GlobalBox owned, Extent3 points, Index3 reach,
                       PerAxis<EdgeMode> const& edge_mode);

}  // namespace isotherm::app
