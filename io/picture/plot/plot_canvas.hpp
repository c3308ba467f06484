#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/picture/paper.hpp"

namespace isotherm {

/// The role of a line or text, from which a canvas derives its colour. Series have eight colours;
/// from the ninth on their lines are dashed, and from the 17th on dotted.
struct Tone {
  enum class Role { ink, grid, series };
  Role role = Role::ink;
  std::size_t index = 0;  ///< of the series
  double share = -1.0;  ///< in 0 … 1: the place on the colour map, instead of a series' own colour
};

/// What a plot is drawn on: a picture file, or an element of a page. Lengths are pixels; y
/// increases downwards.
class PlotCanvas {
 public:
  PlotCanvas() = default;
  virtual ~PlotCanvas() = default;
  PlotCanvas(PlotCanvas const&) = delete;
  PlotCanvas& operator=(PlotCanvas const&) = delete;

  /// Draws a polygonal line.
  virtual void line(std::vector<Paper::Place> const& places, double thickness, Tone tone) = 0;
  /// Draws a dot of 5 pixels.
  virtual void dot(Paper::Place place, Tone tone) = 0;
  /// Fills a rectangle.
  virtual void fill(int left, int top, int width, int height, Tone tone) = 0;
  /// Draws a line of text; `place.y` is the vertical centre of its capital letters.
  virtual void text(Paper::Place place, std::string const& line, Tone tone, Paper::Align align) = 0;
};

/// Returns the width of a text in pixels, estimated from its number of characters. It is an upper
/// bound for most texts in usual fonts.
double estimated_width(std::string const& line, double font_size);

/// A canvas that becomes a PNG, SVG or PDF file.
class PaperCanvas : public PlotCanvas {
 public:
  /// @param pixels  of a PNG per unit of length, as for Paper
  PaperCanvas(PictureFormat format, int width, int height, double font_size, double pixels = 1.0);
  void line(std::vector<Paper::Place> const& places, double thickness, Tone tone) override;
  void dot(Paper::Place place, Tone tone) override;
  void fill(int left, int top, int width, int height, Tone tone) override;
  void text(Paper::Place place, std::string const& line, Tone tone, Paper::Align align) override;
  /// Completes the file and returns its bytes. Nothing can be drawn afterwards.
  std::string finish(std::string const& title) { return paper_.finish(title); }

 private:
  Paper paper_;
  double font_size_;
};

/// A canvas that becomes an `svg` element of a page. Colours are classes: see inline_plot().
class InlineCanvas : public PlotCanvas {
 public:
  InlineCanvas(int width, int height) : width_(width), height_(height) {}
  void line(std::vector<Paper::Place> const& places, double thickness, Tone tone) override;
  void dot(Paper::Place place, Tone tone) override;
  void fill(int left, int top, int width, int height, Tone tone) override;
  void text(Paper::Place place, std::string const& line, Tone tone, Paper::Align align) override;
  /// Returns the element.
  [[nodiscard]] std::string finish(std::string const& title) const;

 private:
  int width_;
  int height_;
  std::string elements_{};
};

}  // namespace isotherm
