#pragma once

#include <vector>

#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// A place on a slice; (0, 0) is the first point, (1, 1) the last one, as in SliceSamples::at.
struct SlicePlace {
  double right;
  double up;
};

/// A line on which a field has the same value all along.
struct Contour {
  std::vector<SlicePlace> places;
  bool closed = false;  ///< the last place is joined to the first one
};

/// Where the samples, joined linearly, pass from below `level` to it or above it; not beside values
/// that are not finite, and not along the rim, where the values may all be the level itself.
std::vector<Contour> contours_at(SliceSamples const& samples, double level);

}  // namespace isotherm
