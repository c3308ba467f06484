#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/picture/colour_map.hpp"

namespace isotherm {

/// A picture in memory. Points (x, y) count from the upper left corner; what lies outside is not
/// drawn.
class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Colour at(int x, int y) const;

  void set(int x, int y, Colour colour);
  /// Fills the points left <= x < left + width, top <= y < top + height.
  void fill(int left, int top, int width, int height, Colour colour);
  /// A line one point thick around the rectangle, just outside it.
  void frame(int left, int top, int width, int height, Colour colour);

  /// Where a text stands on the point it is given.
  enum class Align { left, centre, right };
  /// Draws a line of text, its letters' top at `top`.
  /// @param scale  points of the picture a point of the font
  void text(int x, int top, std::string_view line, Colour colour, Align align = Align::left,
            int scale = 2);
  static int text_width(std::string_view line, int scale = 2);
  static int text_height(int scale = 2);

  /// The picture as the bytes of a PNG file. @throws Error
  [[nodiscard]] std::string png() const;

 private:
  void letter(int left, int top, char letter, Colour colour, int scale);

  int width_;
  int height_;
  std::vector<Colour> points_;
};

}  // namespace isotherm
