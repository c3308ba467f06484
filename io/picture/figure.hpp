#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/range.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// Draws samples of the slices_of(grid, options.look.planes): panels with axes to one scale, a
/// colour bar for `values`, the title. Serial. @returns the bytes of the file @throws Error
std::string drawn_figure(Grid const& grid, std::vector<SliceSamples> const& samples, Range values,
                         PictureOptions const& options);

}  // namespace isotherm
