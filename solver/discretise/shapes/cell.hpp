#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/medium.hpp"

// Control volumes as intervals of coordinates, and the fractions of them that regions cover.
//
// All lengths and volumes are in the case's units. Functions here do not communicate, and may be
// called from several threads at once.

namespace isotherm {

/// A part of space between two coordinates along each axis.
using Cell = PerAxis<Interval>;

/// True if a region contains a place.
inline bool contains(Region const& region, PerAxis<double> const& place) {
  return region.contains(place[0], place[1], place[2]);
}

/// Returns the middle of a cell.
inline PerAxis<double> middle_of(Cell const& cell) {
  return {cell[0].middle(), cell[1].middle(), cell[2].middle()};
}

/// Returns the coordinates at which a region contains a point of the grid (global indices); none if
/// it does not. The first point of a periodic axis lies at both ends of it, except for regions that
/// are known at points only.
std::optional<PerAxis<double>> place_inside(Region const& region, Grid const& grid, Index3 global);

/// Returns the coordinates at which a point lies: its own, and where periodic axes close also those
/// at their upper ends.
std::vector<PerAxis<double>> places_of(Grid const& grid, Index3 global);

/// Returns the part of space that the grid fills.
Cell extent_of(Grid const& grid);

/// Returns the point of the grid that is nearest to a place.
Index3 nearest_point(Grid const& grid, PerAxis<double> const& place);

/// Returns the smallest box that contains a solid.
Cell bounds_of(Solid const& solid);

/// Returns the solid with its bounds across a face widened by a billionth of the narrowest gap. A
/// bound that a case gives on the face's plane then includes the plane in spite of rounding.
Solid including_plane(Solid solid, Grid const& grid, Face face);

/// Returns the area (in 2D: the length) of the section of a solid with a face of the grid.
double area_on(Solid const& solid, Grid const& grid, Face face);

/// Returns the interval of coordinates that the control volume of a point covers along an axis: up
/// to half of the gaps on both sides. The volume of the first point of a periodic axis has a second
/// part, at the upper end; at other points the second interval is empty. Along an axis of one
/// point, or one that the grid does not have, the interval is a single coordinate.
std::array<Interval, 2> volume_intervals(Grid const& grid, int axis, std::int64_t index);

/// Calls visit(part) for the parts of a point's control volume: one, or several if it lies at the
/// end of periodic axes.
template <class Visit>
void for_each_part(Grid const& grid, Index3 global, Visit const& visit) {
  Cell cell;
  PerAxis<Interval> other;  // the second part along an axis
  unsigned split = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const [first, second] = volume_intervals(grid, axis, global[axis]);
    cell[axis] = first;
    other[axis] = second;
    if (second.length() > 0.0) split |= 1U << axis;
  }
  // All subsets of the axes that are split.
  for (unsigned chosen = split;; chosen = (chosen - 1) & split) {
    Cell part = cell;
    for (int axis = 0; axis < 3; ++axis) {
      if (((chosen >> axis) & 1U) != 0) part[axis] = other[axis];
    }
    visit(part);
    if (chosen == 0) return;
  }
}

/// Returns the volume of a cell over the axes on which it has a length.
double volume_of(Cell const& cell);
/// Returns the same in the space that a grid describes: the length of a radius is its measure().
double volume_of(Grid const& grid, Cell const& cell);

/// Returns the parts of a line along `axis` through `place` on which an expression is true. The
/// expression is evaluated at both ends and in the middle, and surfaces between them are found by
/// crossing_of(). Thin parts between places of equal value are found if the expression has bounds
/// (RegionBlocks). If half of the line has three surfaces or more, some may be missed.
/// @param along  the interval of the line on `axis`
std::vector<Interval> parts_inside(Region const& region, int axis, PerAxis<double> const& place,
                                   Interval along);
/// Returns the parts of a line that a region covers, in ascending order: exact for solids, and else
/// those of parts_inside().
std::vector<Interval> parts_of(Region const& region, int axis, PerAxis<double> const& place,
                               Interval along);

/// Returns the fraction of a cell that a region covers, between 0 and 1.
///
/// The fraction is exact for solids. That of an expression is exact on lines, and on flat cells as
/// in flat_share.hpp. If its values at the corners and in the middle of a volume differ, or bounds
/// of the expression leave that possible elsewhere, four sections of the volume are examined. A
/// region that is known only at points covers the whole cell if it contains `point`, and else
/// nothing.
/// @param point  the grid point of the control volume that the cell belongs to
double covered_share(Region const& region, Cell const& cell, PerAxis<double> const& point);
/// Returns the same in the space that a grid describes: if x is a radius, every part of the cell
/// counts with Grid::metric(), exactly for solids and on lines.
double covered_share(Grid const& grid, Region const& region, Cell const& cell,
                     PerAxis<double> const& point);

/// Returns the cells into which the flat surfaces of boxes and cylinders cut a cell. Surfaces
/// closer to the cell's ends than a billionth of its length do not cut it.
/// @param except  axis along which the cell is not cut; −1: none
std::vector<Cell> cut_by_boxes(Cell const& cell, std::span<Region const* const> regions,
                               int except = -1);

/// Returns the function whose value at a grid point is the mean of a layered property over the
/// point's control volume, weighted by volume. The function owns its arguments. Each call evaluates
/// the shares of all layers, so it is expensive. Layers may depend on the field
/// (ScalarFunction::depends_on_u); the caller marks the function so.
/// @param layers  the first one fills everything; values[0] is the property
ScalarFunction volume_mean(Grid const& grid, std::vector<MediumLayer> layers);

}  // namespace isotherm
