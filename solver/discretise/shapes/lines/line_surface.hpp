#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/discretise/shapes/cell.hpp"

// The areas of surfaces in a cell, by lines through it.
//
// A line along the axis a crosses the surface of a set at places with the unit normal n. The
// projection of a piece dS of the surface along a has the area |n_a| dS, and Σ n_a² = 1, so
//
//   S = Σ_a ∫∫ Σ_crossings |n_a|
//
// over the lines along each axis. If x is a radius, each crossing has the weight Grid::metric(),
// which makes S an area of revolution. The sum has no cancellation, so it holds for sets that are
// thinner than the cell along several axes, whose surfaces cancel in Σ ± α A
// (films/fluid_surface.hpp). It is exact for boxes; a round pin has its area to 0.4 %.

namespace isotherm {

/// The surface in a cell, by lines. In a radial grid the areas are those of revolution.
struct LineSurface {
  /// The terms of the sum above. Relative to the area, they are the means of the normal's squared
  /// components.
  PerAxis<double> terms{};
  PerAxis<double> vector{};          ///< ∫ n dS, with the normal out of the set
  std::vector<double> of_regions{};  ///< the part of the area that belongs to each region

  [[nodiscard]] double area() const { return terms[0] + terms[1] + terms[2]; }
};

/// Returns the surface of the union of some regions in a cell. Its area is a length in 2D, or an
/// area of revolution. Surfaces at the ends of the cell do not count. Zeros without a surface.
/// @param grid  whose ends are no surfaces
LineSurface surface_by_lines(Grid const& grid, std::span<Region const* const> regions,
                             Cell const& cell);

/// Returns a place in a cell that no region covers, in the middle of what is open on a line; none
/// if no line meets one.
std::optional<PerAxis<double>> open_place(std::span<Region const* const> regions, Cell const& cell);

/// Returns the area (in 2D: the length) of the surface of a region within a grid, by lines through
/// cells as wide as a gap. In a radial grid it is the area of revolution. None if the region
/// reaches the cells where a periodic axis closes. Evaluated on all threads.
/// @param within  a box that contains all points of the region (global indices)
std::optional<double> area_of_surface(Grid const& grid, Region const& region, GlobalBox within);

}  // namespace isotherm
