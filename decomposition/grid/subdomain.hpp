#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// Returns the numbers of parts per axis, whose product is `ranks`, that send the fewest halo
/// points. Among equal candidates it cuts z or y rather than x, because faces across x are not
/// contiguous in memory.
/// @param depth  smallest number of points that a part must have on an axis that is cut
/// @throws InputError  if no such decomposition exists; the message names a number of ranks that
///   works
///
/// Cost: O(ranks log ranks).
Extent3 choose_decomposition(Grid const& grid, int ranks, int depth = 1);

/// Cuts the grid into as many slabs as ranks along its last axis, if each slab is at least
/// `thickness` points thick. Otherwise returns choose_decomposition(). A slab has at most two
/// neighbours, and its faces are contiguous in memory.
Extent3 choose_slabs(Grid const& grid, int ranks, std::int64_t thickness);

/// Validates a decomposition that the user requests.
/// @throws InputError  if the product of the parts is not `ranks`, or if an axis has fewer points
///   than parts
void check_decomposition(Grid const& grid, Extent3 parts, int ranks);

/// The cuts of an axis: the first point of each part, and one past the last point. Empty if the
/// axis is cut evenly.
using AxisCuts = std::vector<std::int64_t>;

/// One rank's part of the grid, and the only place that converts between local and global indices.
///
/// Local index (0, 0, 0) is the rank's first own point; halo points have indices below 0 or beyond
/// the extent. Part p of an evenly cut axis starts at point ⌈p · n / parts⌉. So parts differ by at
/// most one point, the first part is one of the larger, and the larger parts are spread evenly. As
/// a result, the parts of a finer and a coarser grid cover the same region except for a few points.
/// For example, 7 points in 3 parts are cut at 0, 3, 5 and 7.
///
///     Subdomain const mine(grid, choose_decomposition(grid, ranks.size()), ranks.rank());
///     Index3 const global = mine.to_global(Index3{0, 0, 0});   // my first point
///     std::optional<int> const above = mine.neighbour({0, 0, 1});
///     LocalBox const ghost_layer = mine.halo({2, true}, 1);    // filled from `above`
class Subdomain {
 public:
  /// @param parts  numbers of parts per axis; rank = x + parts.x (y + parts.y z)
  /// @param cuts  for each axis; an empty one cuts that axis evenly
  /// @throws Error  if a part would have no point, if the rank does not exist, or if the cuts do
  ///   not divide the axis into that many parts
  Subdomain(Grid const& grid, Extent3 parts, int rank, PerAxis<AxisCuts> cuts = {});

  /// Returns another rank's part of the same decomposition.
  [[nodiscard]] Subdomain of_rank(int rank) const { return {grid_, parts_, rank, cuts_}; }

  [[nodiscard]] Grid const& grid() const { return grid_; }
  [[nodiscard]] Extent3 parts() const { return parts_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Index3 position() const { return position_; }  ///< in the grid of parts

  /// The first point of a part on an axis. For part == parts it is one past the last point.
  [[nodiscard]] std::int64_t cut(int axis, std::int64_t part) const;
  /// True if both decompositions cut all axes at the same points.
  [[nodiscard]] bool is_shared_like(Subdomain const& other) const;

  /// Number of owned points per axis.
  [[nodiscard]] Extent3 extent() const { return owned_.extent(); }
  /// The owned points, in global indices.
  [[nodiscard]] GlobalBox owned_global() const { return owned_; }
  /// The owned points, in local indices: from (0, 0, 0) to extent().
  [[nodiscard]] LocalBox owned() const { return {{0, 0, 0}, extent()}; }
  /// The whole grid, in local indices of this rank.
  [[nodiscard]] LocalBox grid_box() const { return to_local(grid_.box()); }

  [[nodiscard]] Index3 to_global(Index3 local) const { return local + owned_.lower; }
  [[nodiscard]] Index3 to_local(Index3 global) const { return global - owned_.lower; }
  [[nodiscard]] GlobalBox to_global(LocalBox box) const;
  [[nodiscard]] LocalBox to_local(GlobalBox box) const;

  /// Returns the rank that owns the points next to this part in `direction`, or nullopt beyond a
  /// physical face. On a periodic axis it may be this rank itself.
  /// @param direction  each component −1, 0 or 1
  [[nodiscard]] std::optional<int> neighbour(Index3 direction) const;
  /// True if this part touches a physical (not periodic) face of the grid. Never true for z in 2D.
  [[nodiscard]] bool on_physical_face(Face face) const;

  /// The owned points next to `face`, `depth` deep. @throws Error  if the part has fewer points
  [[nodiscard]] LocalBox rim(Face face, int depth) const;
  /// The halo (ghost) points beyond `face`, `depth` deep, over the owned points of the other axes.
  [[nodiscard]] LocalBox halo(Face face, int depth) const;
  /// The largest number of points per axis that any rank owns.
  [[nodiscard]] Extent3 largest_extent() const;
  /// The smallest number of points that any rank owns on `axis`.
  [[nodiscard]] std::int64_t smallest_extent(int axis) const;

 private:
  Grid grid_;
  Extent3 parts_;
  PerAxis<AxisCuts> cuts_;  ///< empty for axes that are cut evenly
  int rank_;
  Index3 position_;  ///< of this part in the grid of parts; x varies fastest with the rank
  GlobalBox owned_;  ///< never empty
};

/// Returns the points of `outer` outside `inner` as at most six disjoint, non-empty boxes.
/// @throws Error  unless inner is empty or lies in outer
std::vector<LocalBox> difference(LocalBox outer, LocalBox inner);

}  // namespace isotherm
