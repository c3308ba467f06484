#pragma once

#include <array>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/medium.hpp"

namespace isotherm {

/// Returns the coordinate between `inside` and `outside` at which an expression changes on a line
/// along `axis` through `place`, to 2^−40 of their distance. It is a zero of the expression's
/// level, found by interpolation (compiled_condition.hpp), or is found by bisection.
double crossing_of(Region const& region, int axis, PerAxis<double> place, double inside,
                   double outside);

/// Returns the fraction of a flat cell in which an expression is true, between 0 and 1.
///
/// The expression is evaluated at 3 × 3 places. In each quarter with different values at its
/// corners the surface is a parabola through its crossings of two edges and a third place between
/// them. So planes are exact, and the error of smooth surfaces is of fourth order. Pieces that
/// contain none of the nine places are found if the expression has bounds (RegionBlocks): plates
/// and rods along the axes exactly, oblique ones to 1 %. If x is a radius, every part of the cell
/// counts with Grid::metric(); planes are exact then, too.
/// @param axes  the two axes along which the cell has a length, in ascending order
double share_of_flat_cell(Grid const& grid, Region const& region, PerAxis<Interval> const& cell,
                          std::array<int, 2> const& axes);
/// Returns the same without regard to radii.
double share_of_flat_cell(Region const& region, PerAxis<Interval> const& cell,
                          std::array<int, 2> const& axes);

}  // namespace isotherm
