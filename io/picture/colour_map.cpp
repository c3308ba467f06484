#include "io/picture/colour_map.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {
namespace {

// Uniform steps of lightness (0.19 … 0.97) along a path in the colour space OKLCh (Björn Ottosson,
// 2020). Its hue turns from 272° over red to 103°, and its chroma rises to 0.17 in the middle.
constexpr std::array<Colour, 17> path{{{8, 8, 63},
                                       {32, 13, 79},
                                       {55, 18, 92},
                                       {80, 22, 102},
                                       {106, 26, 108},
                                       {133, 31, 109},
                                       {159, 38, 106},
                                       {183, 49, 99},
                                       {204, 65, 89},
                                       {222, 85, 79},
                                       {236, 107, 69},
                                       {245, 131, 65},
                                       {251, 156, 71},
                                       {252, 181, 91},
                                       {253, 205, 117},
                                       {254, 228, 146},
                                       {254, 248, 186}}};
constexpr Colour not_a_number{118, 150, 124};  // grey-green, not a colour of the path

}  // namespace

Colour colour_of(double value) {
  if (std::isnan(value)) {
    return not_a_number;
  }
  // Linear interpolation between the two nearest colours of the path.
  double const place = std::clamp(value, 0.0, 1.0) * (path.size() - 1);
  // The value 1 belongs to the last interval.
  std::size_t const below = std::min(static_cast<std::size_t>(place), path.size() - 2);
  double const part = place - static_cast<double>(below);
  Colour colour{};
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    colour[channel] = static_cast<std::uint8_t>(
        std::lround(std::lerp(path[below][channel], path[below + 1][channel], part)));
  }
  return colour;
}

}  // namespace isotherm
