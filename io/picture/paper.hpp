#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/picture/colour_map.hpp"
#include "io/picture/picture_format.hpp"

namespace isotherm {

/// Size (in the lengths of Paper) and style of a text.
struct Font {
  double size;
  bool italic = false;
};

/// A canvas, drawn with Cairo, that becomes a PNG, SVG or PDF file. A length of 1 is one pixel of a
/// PNG or SVG, and half a point of a PDF. The origin is the upper left corner; y increases
/// downwards.
///
/// Text is drawn in DejaVu Sans, or the font that the system substitutes for it. If the system has
/// no font, Cairo's built-in font is used, which has ASCII only: a question mark replaces all other
/// characters. Invalid characters become U+FFFD; see drawable().
///
///     Paper paper(PictureFormat::svg, 200, 100);
///     paper.line({{10, 50}, {190, 50}}, Paper::Ends::open, 1.0, black);
///     paper.text({100, 30}, "x", {17.0}, black, Paper::Align::centre);
///     std::string const file = paper.finish("an axis");
class Paper {
 public:
  /// Makes a white canvas. @throws Error  if Cairo fails, as all other members
  /// @param pixels  of a PNG per unit of length: everything drawn is enlarged by this factor. The
  ///   numbers of pixels are rounded to even ones, which films need. SVG and PDF keep their size
  Paper(PictureFormat format, int width, int height, double pixels = 1.0);
  ~Paper();
  Paper(Paper const&) = delete;
  Paper& operator=(Paper const&) = delete;

  /// A position on the canvas.
  struct Place {
    double x;
    double y;
  };
  /// The part of a text that is placed at the given position.
  enum class Align { left, centre, right };
  /// The direction of a text: to the right, or upwards.
  enum class Direction { right, up };
  /// Whether the last place of a line is joined to the first one.
  enum class Ends { open, closed };

  /// Draws a polygonal line.
  /// @param dash  length of its dashes, and of the gaps between them; 0: solid
  void line(std::vector<Place> const& places, Ends ends, double thickness, Colour colour,
            double dash = 0.0);
  /// Draws a line of thickness 1 around a rectangle, just outside it.
  void frame(int left, int top, int width, int height, Colour colour);
  /// Fills a rectangle.
  void fill(int left, int top, int width, int height, Colour colour);
  /// Fills a polygon.
  void polygon(std::vector<Place> const& corners, Colour colour);
  /// Draws an image into a rectangle, row by row from the top. Its pixels are not smoothed.
  /// @param columns  number of pixels of a row; the rows fill the height
  void image(int left, int top, int width, int height, int columns,
             std::vector<Colour> const& points);
  /// Returns the width of a line of text.
  [[nodiscard]] double width_of(std::string const& line, Font font) const;
  /// True if the system has a font.
  [[nodiscard]] bool has_font() const;
  /// Draws a line of text. `place` is the centre of the height of its capital letters.
  void text(Place place, std::string const& line, Font font, Colour colour,
            Align align = Align::left, Direction direction = Direction::right);
  /// Draws a line of text that is centred at a place and turned clockwise by an angle in radians.
  void turned_text(Place middle, double angle, std::string const& line, Font font, Colour colour);

  /// Completes the drawing. Nothing can be drawn afterwards.
  /// @returns  the bytes of the file; SVG and PDF files contain the title in their metadata
  std::string finish(std::string const& title);

 private:
  struct Sheet;
  /// Throws Error if the last Cairo call failed.
  void check() const;

  PictureFormat format_;
  std::unique_ptr<Sheet> sheet_;
};

}  // namespace isotherm
