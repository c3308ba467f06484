#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/range.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// Draws a figure: panels of the slices with axes to one scale, a colour bar for `values`, and the
/// title. Not collective.
///
/// The parts, from left to right, with the title above them:
///
///    title
///    caption      caption      field's name
///    ┌───────┐    ┌───────┐    ┌─┐
///    │ slice │    │ slice │    │ │ colour bar
///    └───────┘    └───────┘    └─┘
///                              ▪ NaN (only if there are any)
///
/// @param samples  of slices_of(grid, options.look.planes), in that order
/// @returns  the bytes of the file
/// @throws Error  if Cairo fails
std::string drawn_figure(Grid const& grid, std::vector<SliceSamples> const& samples, Range values,
                         PictureOptions const& options);

}  // namespace isotherm
