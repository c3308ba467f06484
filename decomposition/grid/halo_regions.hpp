#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"

namespace isotherm {

/// What is exchanged with the neighbour in one direction.
struct HaloRegion {
  Index3 direction;  ///< each component −1, 0 or 1
  int peer;          ///< always another rank
  LocalBox send;     ///< of points that are owned or wrapped
  LocalBox receive;  ///< of halo points; the same shape as `send`
};

/// Which points an exchange moves, in two stages.
///
/// Axes that are periodic but not cut are wrapped first, on the rank itself (see wrap in
/// kernels/faces/faces.hpp). The messages along the cut axes then carry the wrapped points with
/// them: a ring with its edges and corners takes 2 messages where one axis is cut, 8 for two, 26
/// for three.
///
///   z cut, x periodic and not cut (. wrapped first, # sent to the rank above):
///
///         .  # # # #  .
///         .  o o o o  .      the message is  . # # # # .
///         .  o o o o  .
struct HaloRegions {
  std::vector<LocalBox> wrapped;    ///< halo points that this rank's own points fill
  std::vector<HaloRegion> regions;  ///< in any order, after that
};

/// @param depth    of the ring, in points
/// @param corners  false: the faces only
/// @param axis     fills the ends of this axis alone; none: of all
/// @throws Error   where depth is below 1, or exceeds the points that some rank owns on an axis
///                 whose ends are filled; the same on every rank
HaloRegions halo_regions(Subdomain const& subdomain, int depth, bool corners,
                         std::optional<int> axis = std::nullopt);

/// The points beyond `box` on periodic axes that are not cut, `depth` deep, edges included: box's
/// own points, wrapped around.
std::vector<LocalBox> wrapped_around(Subdomain const& subdomain, LocalBox box, int depth);

/// Number of a direction, 0 … 26; of opposite directions the numbers sum to 26.
int direction_number(Index3 direction);

}  // namespace isotherm
