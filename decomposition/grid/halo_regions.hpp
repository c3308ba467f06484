#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"

namespace isotherm {

/// The points that a rank exchanges with its neighbour in one direction.
struct HaloRegion {
  Index3 direction;  ///< each component −1, 0 or 1
  int peer;          ///< rank of the neighbour; always another rank
  LocalBox send;     ///< owned points, with wrapped halo points at its ends
  LocalBox receive;  ///< halo points; the same shape as `send`
};

/// The points that a halo exchange moves, in two stages.
///
/// The halo (the ghost layer) is the ring of points around a rank's own points. First, axes that
/// are periodic but not cut are wrapped on the rank itself; see wrap() in kernels/faces/faces.hpp.
/// Then messages along the cut axes carry the owned points together with the wrapped ones. The ring
/// with its edges and corners needs 2 messages if one axis is cut, 8 for two, 26 for three.
///
///   z cut, x periodic and not cut (. wrapped first, # sent to the rank above):
///
///         .  # # # #  .
///         .  o o o o  .      the message is  . # # # # .
///         .  o o o o  .
struct HaloRegions {
  std::vector<LocalBox> wrapped;    ///< first stage: halo points filled from own points
  std::vector<HaloRegion> regions;  ///< second stage, in any order
};

/// Returns the regions by which an exchange fills the halo of one rank.
/// @param depth  of the halo, in points
/// @param corners  false: faces only, which is enough for one step of a star stencil
/// @param axis  fills the halo at the ends of this axis only; nullopt: at the ends of all axes
/// @throws Error  if depth is below 1, or if it exceeds the fewest points that any rank owns on an
///   axis whose ends are filled; all ranks throw the same
HaloRegions halo_regions(Subdomain const& subdomain, int depth, bool corners,
                         std::optional<int> axis = std::nullopt);

/// Returns the points beyond `box` on periodic axes that are not cut, `depth` deep, edges included.
/// Points of `box` itself fill them.
std::vector<LocalBox> wrapped_around(Subdomain const& subdomain, LocalBox box, int depth);

/// Numbers the directions 0 … 26, for message tags: (x + 1) + 3 (y + 1) + 9 (z + 1). The numbers of
/// opposite directions sum to 26.
int direction_number(Index3 direction);

}  // namespace isotherm
