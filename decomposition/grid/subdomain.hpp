#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// The numbers of parts per axis (their product is `ranks`) that send the fewest halo points. Of
/// several equal ones, that which cuts z or y rather than x, whose faces are not contiguous.
/// @param depth  smallest number of points a part must have on an axis that is cut
/// @throws InputError  if there is none: says how many ranks the grid can use at most
Extent3 choose_decomposition(Grid const& grid, int ranks, int depth = 1);

/// As many slabs as ranks, cut along the last axis, if each is at least `thickness` points thick;
/// else choose_decomposition(). A slab has at most two neighbours, and its faces are contiguous in
/// memory.
Extent3 choose_slabs(Grid const& grid, int ranks, std::int64_t thickness);

/// Checks a decomposition that the user asks for.
/// @throws InputError  if the product is not `ranks`, or an axis has fewer points than parts
void check_decomposition(Grid const& grid, Extent3 parts, int ranks);

/// Where an axis is cut: the first point of each part, and one past the last; empty where it is cut
/// evenly.
using AxisCuts = std::vector<std::int64_t>;

/// One rank's part of the grid, and the only place where local and global indices are converted
/// into each other. Unless cuts are given, parts differ by at most one point per axis; the first is
/// one of the larger, and these are spread evenly, so that the same parts of a finer and a coarser
/// grid lie over each other but for a few points, however many parts there are.
class Subdomain {
 public:
  /// @param parts  numbers of parts per axis; rank = x + parts.x (y + parts.y z)
  /// @throws Error  where a part would have no point, or there is no such rank
  Subdomain(Grid const& grid, Extent3 parts, int rank, PerAxis<AxisCuts> cuts = {});

  /// Another rank's part of the same grid, cut likewise.
  [[nodiscard]] Subdomain of_rank(int rank) const { return {grid_, parts_, rank, cuts_}; }

  [[nodiscard]] Grid const& grid() const { return grid_; }
  [[nodiscard]] Extent3 parts() const { return parts_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Index3 position() const { return position_; }  ///< in the grid of parts

  /// The first point of an axis' part; one past the last point for one past the last part.
  [[nodiscard]] std::int64_t cut(int axis, std::int64_t part) const;
  /// Whether all ranks have the same points as in the other way of sharing a grid.
  [[nodiscard]] bool is_shared_like(Subdomain const& other) const;

  [[nodiscard]] Extent3 extent() const { return owned_.extent(); }
  [[nodiscard]] GlobalBox owned_global() const { return owned_; }
  [[nodiscard]] LocalBox owned() const { return {{0, 0, 0}, extent()}; }
  /// The whole grid in this rank's frame.
  [[nodiscard]] LocalBox whole() const { return to_local(grid_.box()); }

  [[nodiscard]] Index3 to_global(Index3 local) const { return local + owned_.lower; }
  [[nodiscard]] Index3 to_local(Index3 global) const { return global - owned_.lower; }
  [[nodiscard]] GlobalBox to_global(LocalBox box) const;
  [[nodiscard]] LocalBox to_local(GlobalBox box) const;

  /// The rank that owns the points next to this share in `direction` (each component −1, 0 or 1;
  /// may be this rank itself on a periodic axis), or none beyond a physical face.
  [[nodiscard]] std::optional<int> neighbour(Index3 direction) const;
  /// True where this share touches a physical (not periodic) face of the grid; never in z in 2D.
  [[nodiscard]] bool on_physical_face(Face face) const;

  /// The owned points next to `face`, `depth` deep. @throws Error  where there are fewer
  [[nodiscard]] LocalBox rim(Face face, int depth) const;
  /// The points beyond `face`, `depth` deep, over the owned points of the other axes.
  [[nodiscard]] LocalBox halo(Face face, int depth) const;
  /// The points per axis of the largest share.
  [[nodiscard]] Extent3 largest_extent() const;
  /// The smallest number of points that any rank owns on `axis`.
  [[nodiscard]] std::int64_t smallest_extent(int axis) const;

 private:
  Grid grid_;
  Extent3 parts_;
  PerAxis<AxisCuts> cuts_;
  int rank_;
  Index3 position_;
  GlobalBox owned_;
};

/// Disjoint boxes that together are `outer` without `inner`: at most six, none of them empty.
/// @throws Error  unless inner is empty or lies in outer
std::vector<LocalBox> difference(LocalBox outer, LocalBox inner);

}  // namespace isotherm
