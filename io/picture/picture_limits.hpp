#pragma once

namespace isotherm {

/// The numbers that pictures accept, both as keys of [output] and as options of commands.
struct PictureLimit {
  int smallest, largest;

  [[nodiscard]] constexpr bool allows(long long number) const {
    return number >= smallest && number <= largest;
  }
};
inline constexpr PictureLimit picture_widths{200, 8000};  ///< pixels from left to right
inline constexpr PictureLimit contour_counts{1, 100};     ///< approximate numbers of lines

}  // namespace isotherm
