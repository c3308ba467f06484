#pragma once

#include <cstddef>
#include <vector>

#include "io/picture/paper.hpp"

namespace isotherm::figure {

/// A contour line on the paper.
struct DrawnLine {
  std::vector<Paper::Place> places;
  bool closed = false;    ///< true if the last place is joined to the first one
  std::size_t level = 0;  ///< number of its level
};

/// A number on a contour line.
struct LineLabel {
  Paper::Place middle;
  double angle = 0.0;     ///< of the text, in radians, clockwise from a level one; |angle| <= π/2
  double width = 0.0;     ///< of the number
  std::size_t level = 0;  ///< whose number it is

  /// True if a place lies on the number or closer to it than a distance.
  [[nodiscard]] bool covers(Paper::Place place, double height, double distance) const;
};

/// Contour lines with gaps, and the numbers in the gaps.
struct LabelledLines {
  std::vector<DrawnLine> lines{};
  std::vector<LineLabel> labels{};
};

/// A rectangle of the paper: the numbers lie inside.
struct LabelArea {
  double left, top, width, height;
};

/// Puts up to three numbers on the nearly straight parts of each line, evenly spaced. A number
/// neither covers another one nor another line, so dense and short lines have none.
/// @param widths  of the number of each level
/// @param height  of a number
LabelledLines labelled(std::vector<DrawnLine> const& lines, std::vector<double> const& widths,
                       double height, LabelArea const& area);

}  // namespace isotherm::figure
