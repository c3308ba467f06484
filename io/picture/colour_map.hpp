#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm {

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue (sRGB)

/// The name of the colour map that is used if none is chosen.
inline constexpr std::string_view default_colour_map = "isotherm";

/// A function from values between 0 and 1 to colours, with colours of their own for NaN and for
/// values below and above the range.
///
/// Sequential maps have a lightness that increases uniformly. So equal steps of the value look
/// equally large, and the picture remains readable in grey. "coolwarm" diverges from a light grey
/// in the middle, for values around a centre. The names are those of Matplotlib; "_r" at the end
/// of a name reverses the map.
///
///     ColourMap const map("viridis");
///     Colour const colour = map(range.place(temperature));
class ColourMap {
 public:
  /// @param name  one of colour_map_names(), or such a name followed by "_r"
  /// @throws InputError  for all other names; the message lists the known ones
  explicit ColourMap(std::string_view name = default_colour_map);

  /// Returns the colour of a value: below() for values under 0, above() for values over 1. A
  /// millionth of the range is tolerated, since given values are met except for rounding.
  Colour operator()(double value) const;
  /// The colour of values below the range, which is not in the map.
  [[nodiscard]] Colour below() const;
  /// The colour of values above the range, which is not in the map.
  [[nodiscard]] Colour above() const;
  /// The colour of NaN, which is not in the map.
  [[nodiscard]] static Colour not_a_number();

 private:
  std::span<Colour const> nodes_;  ///< at equal steps of the value
  Colour below_, above_;
  bool reversed_ = false;
};

/// Returns the names of all colour maps, without the reversed ones.
std::vector<std::string> colour_map_names();
/// Returns true if ColourMap() accepts the name.
bool is_colour_map(std::string_view name);
/// Returns a line that lists the names, for messages: "isotherm, viridis, …; with _r reversed".
std::string known_colour_maps();

/// Returns the colour of a value in the default map; values outside 0 … 1 are clamped.
Colour colour_of(double value);

/// Returns the relative luminance of a colour, from 0 (black) to 1 (white); see IEC 61966-2-1.
double luminance(Colour colour);

}  // namespace isotherm
