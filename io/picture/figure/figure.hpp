#pragma once

#include <string>
#include <vector>

#include "io/picture/figure/view.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// Draws a figure: panels of the views with axes to one scale, a colour bar for `values`, and the
/// title. Not collective.
///
/// The parts, from left to right, with the title above them:
///
///    title
///    caption      caption      field's name
///    ┌───────┐    ┌───────┐    ┌─┐
///    │ view  │    │ view  │    │ │ colour bar
///    └───────┘    └───────┘    └─┘
///                              ▪ NaN (only if there are any)
///                              → flux (only with arrows)
///
/// The colour bar lies below flat panels. Fields along a single axis are drawn as curves instead
/// (io/picture/plot/field_curve.hpp).
///
/// @param views  at least one
/// @returns  the bytes of the file
/// @throws Error  if Cairo fails
std::string drawn_figure(std::vector<View> const& views, Range values,
                         PictureOptions const& options);

}  // namespace isotherm
