#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "solver/problem/problem.hpp"

// Links between neighbouring points with different constraints (point_constraints.hpp), at least
// one of which is fixed. Different patches of a face are different constraints, too. Heat flows
// through them from what fixes points.

namespace isotherm {

/// A link from a point of a rank's part to the next one along an axis, in local indices. The next
/// point may belong to another part, or lie beyond a periodic end.
struct FixedLink {
  Index3 here;
  Index3 next;
  int axis;
  int constraint;  ///< of `here`
  int constraint_next;
  int patch;  ///< that gives `here` its value, or no_patch
  int patch_next;
};

/// The links with fixed points in a rank's part. Links with insulated points do not count.
class FixedLinks {
 public:
  /// @param problem  must outlive the object
  FixedLinks(Subdomain subdomain, Problem const& problem);

  /// @param chunk  the number of the chunk of points in which the link was found
  using Visit = std::function<void(FixedLink const& link, std::int64_t chunk)>;
  /// Calls visit() for each link. If the problem has fixed regions, all points of the part are
  /// examined, else those at faces.
  void for_each(Visit const& visit) const;
  /// Returns an upper bound on the number of links. A box, a ball or a cylinder is convex, so each
  /// row of points crosses its surface twice at most. If regions have other shapes, all points are
  /// examined.
  [[nodiscard]] std::size_t maximum() const;
  /// Returns an upper bound on the number of links that end in another part or beyond a periodic
  /// end.
  [[nodiscard]] std::size_t maximum_leaving() const;

  /// Returns the grid point at a local index, which on a periodic axis may lie beyond an end; none
  /// off the grid.
  [[nodiscard]] std::optional<Index3> on_grid(Index3 local) const;
  /// Returns this part's points on a face of the grid, and their inner neighbours.
  [[nodiscard]] LocalBox near_face(Face face) const;

 private:
  /// Returns the patch that gives a point its value, or no_patch. @param constraint  of the point
  [[nodiscard]] int patch_that_fixes(Index3 local, int constraint) const;
  void for_each_in(LocalBox points, std::vector<LocalBox> const& done, Visit const& visit) const;
  /// Calls visit() for the links at Dirichlet faces.
  void for_each_at_faces(Visit const& visit) const;
  /// Returns an upper bound on their number, if no face has patches.
  [[nodiscard]] std::size_t maximum_at_faces() const;
  /// Returns an upper bound on the number of links through the surface of a solid.
  [[nodiscard]] std::size_t maximum_through(Solid const& solid) const;

  Subdomain subdomain_;
  Problem const& problem_;
};

}  // namespace isotherm
