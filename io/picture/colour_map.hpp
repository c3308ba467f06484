#pragma once

#include <array>
#include <cstdint>

namespace isotherm {

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue (sRGB)

/// The colour of a value between 0 and 1 (clamped): from a dark blue through violet, red and orange
/// to a light yellow, its lightness going up evenly, so that equal steps of the value look equally
/// large and the picture keeps its sense in grey. Not-a-number is grey-green, which is no other
/// value's colour.
Colour colour_of(double value);

}  // namespace isotherm
