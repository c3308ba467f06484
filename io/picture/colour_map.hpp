#pragma once

#include <array>
#include <cstdint>

namespace isotherm {

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue (sRGB)

/// Returns the colour of a value between 0 and 1; values outside are clamped. The colour map runs
/// from dark blue through violet, red and orange to light yellow.
///
/// Its lightness increases uniformly (a perceptually uniform map). So equal steps of the value look
/// equally large, and the picture remains readable in grey. NaN has a grey-green colour that is not
/// in the map.
///
///     Colour const colour = colour_of(range.place(temperature));
Colour colour_of(double value);

}  // namespace isotherm
