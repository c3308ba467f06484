#pragma once

#include <utility>
#include <vector>

#include "io/picture/figure/view.hpp"

namespace isotherm::test {

/// Returns the views of a whole field.
inline std::vector<View> whole_views(Grid const& grid, std::vector<SliceSamples> samples) {
  return views_of(grid, slices_of(grid, {}), grid.box(), std::move(samples));
}

}  // namespace isotherm::test
