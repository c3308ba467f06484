#pragma once

#include <vector>

#include "io/picture/slice_sampling.hpp"

namespace isotherm {

/// A place on a slice. (0, 0) is the first grid point and (1, 1) the last one, as in
/// SliceSamples::at.
struct SlicePlace {
  double right;
  double up;
};

/// A contour line: the field has the same value at all its places.
struct Contour {
  std::vector<SlicePlace> places;
  bool closed = false;  ///< true if the last place is joined to the first one
};

/// Returns the contour lines of one level, by marching squares. A line separates samples below
/// `level` from samples of `level` or above; its places are interpolated linearly between
/// neighbouring samples.
///
/// Marching squares is the two-dimensional case of marching cubes (Lorensen and Cline, SIGGRAPH
/// 1987). The mean of the four corners decides in a saddle.
///
/// There are no lines next to values that are not finite, and none along a jump of the field
/// between samples of different materials: they end there. Lines along the rim are omitted, because
/// a whole face may have that value. Cost: proportional to the number of samples.
///
///     for (Contour const& line : contours_at(samples, 0.5)) {
///       for (SlicePlace const place : line.places) draw_to(place.right, place.up);
///       if (line.closed) draw_to(line.places.front().right, line.places.front().up);
///     }
std::vector<Contour> contours_at(SliceSamples const& samples, double level);

}  // namespace isotherm
