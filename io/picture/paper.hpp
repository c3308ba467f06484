#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/picture/colour_map.hpp"
#include "io/picture/picture_format.hpp"

namespace isotherm {

struct Font {
  double size;
  bool italic = false;
};

/// What is drawn on, with Cairo. Lengths are points of a PNG, pixels of an SVG and half points of a
/// PDF; places count from the upper left corner.
///
/// Text is drawn in DejaVu Sans, or the font that the system has in its place. Where it has none,
/// it is drawn in Cairo's own, which has ASCII only: a question mark stands for other letters.
/// U+FFFD stands for what cannot be drawn in any font, see drawable().
class Paper {
 public:
  /// @throws Error  where Cairo cannot make one, as do all others where it cannot draw
  Paper(PictureFormat format, int width, int height);
  ~Paper();
  Paper(Paper const&) = delete;
  Paper& operator=(Paper const&) = delete;

  struct Place {
    double x;
    double y;
  };
  /// Where a text stands on the place it is given.
  enum class Align { left, centre, right };
  enum class Ends { open, closed };

  void line(std::vector<Place> const& places, Ends ends, double thickness, Colour colour);
  /// A line one point thick around the rectangle, just outside it.
  void frame(int left, int top, int width, int height, Colour colour);
  void fill(int left, int top, int width, int height, Colour colour);
  /// An image, a point a point: row by row from the upper one.
  void image(int left, int top, int width, int height, std::vector<Colour> const& points);
  /// The width of a line of text.
  [[nodiscard]] double width_of(std::string const& line, Font font) const;
  /// Whether the system has a font.
  [[nodiscard]] bool has_font() const;
  /// Draws a line of text; `place.y` is the middle of its capital letters.
  void text(Place place, std::string const& line, Font font, Colour colour,
            Align align = Align::left);

  /// Ends the drawing. @returns the bytes of the file, which has the title in its description (none
  /// in a PNG)
  std::string finish(std::string const& title);

 private:
  struct Sheet;
  void check() const;

  PictureFormat format_;
  std::unique_ptr<Sheet> sheet_;
};

}  // namespace isotherm
