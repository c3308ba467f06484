#pragma once

#include <array>
#include <cstdint>

namespace isotherm {

inline constexpr int glyph_columns = 5;
inline constexpr int glyph_rows = 9;  ///< the lowest two are below the base line
using Glyph = std::array<std::uint8_t, glyph_rows>;

/// The points of a letter, a row a byte, bit 4 leftmost. A question mark for what is not printable
/// ASCII.
Glyph const& glyph_of(char letter);

}  // namespace isotherm
