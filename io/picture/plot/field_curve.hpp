#pragma once

#include <string>
#include <vector>

#include "io/picture/picture.hpp"
#include "io/picture/plot/plot.hpp"

namespace isotherm {

/// Returns whether the views are of grids with points on a single axis, along which values can be
/// drawn as curves.
bool are_lines(std::vector<View> const& views);

/// Returns the plot of fields along their only axis, with a curve for each view. Curves are
/// interrupted at excluded points.
/// @param values  the ends of the vertical axis
/// @pre  are_lines(views)
Plot plot_of_lines(std::vector<View> const& views, Range values, PictureOptions const& options);

/// Draws plot_of_lines().
/// @param values  the ends of the vertical axis
/// @returns  the bytes of the file
/// @pre  are_lines(views)
/// @throws Error  if Cairo fails
std::string drawn_curves(std::vector<View> const& views, Range values,
                         PictureOptions const& options);

}  // namespace isotherm
