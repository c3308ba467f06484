#pragma once

#include <cstddef>
#include <vector>

#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/problem.hpp"

// Which layers of a medium show in the open part of a control volume.
//
// The surface of a material often coincides with that of insulation, as that of a rod in a sleeve.
// Their shares of a volume are therefore no independent numbers: regions that both cut a cell are
// examined together, on lines through the cell.

namespace isotherm {

/// A layer that shows in the open part of a control volume, its share of the volume, and the place
/// whose value it has there.
struct OpenLayer {
  std::size_t layer;
  double share;
  PerAxis<double> place;
};

/// Returns the layers that show in the open part of the control volume of a point (global indices).
/// Their shares add up to the open share.
/// @param layers  the first one fills everything
std::vector<OpenLayer> open_layers(Problem const& problem, std::vector<MediumLayer> const& layers,
                                   Index3 global);

/// Returns the open fractions of a part of a link's face inside and outside of some regions: their
/// sum is its open share. Flat surfaces do not cut it.
/// @param regions  at most a few: the result has an entry for each of their subsets, by bits
/// @param point    the grid point that the face belongs to
std::vector<double> open_fractions(Problem const& problem,
                                   std::vector<Region const*> const& regions, Cell const& face,
                                   PerAxis<double> const& point);

/// Calls visit(region) for the regions that shut parts of volumes: insulated ones with surfaces,
/// and the fluids that act on theirs.
template <class Visit>
void for_each_shutting(Problem const& problem, Visit const& visit) {
  for (Region const& region : problem.medium.insulated) {
    if (!region.at_points) visit(region);
  }
  for (FixedRegion const& fixed : problem.medium.fixed) {
    if (has_film_on_surface(fixed)) visit(fixed.where);
  }
}
/// Returns these regions.
std::vector<Region const*> shutting_regions_of(Problem const& problem);

}  // namespace isotherm
