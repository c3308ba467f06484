#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/figure/ticks.hpp"
#include "io/picture/paper.hpp"
#include "io/picture/range.hpp"
#include "io/picture/slice_sampling.hpp"

namespace isotherm::figure {

// Fonts and distances of a figure, in points of the picture (see Paper).
inline constexpr Font label_font{17.0};
inline constexpr Font axis_font{19.0, true};
inline constexpr int gap = 16;  // between parts of the picture
inline constexpr int tick_length = 5;
inline constexpr int tick_gap = 5;  // between a tick and its label
inline constexpr int line_height = 24;
inline constexpr int bar_width = 22;

/// One slice with its axes and caption.
struct Panel {
  Slice slice;
  std::string caption_value;  ///< coordinate of the slice on its normal axis; empty: no caption
  Range right, up;            ///< coordinates at the ends of both axes
  std::vector<Tick> right_ticks{}, up_ticks{};
  int width = 0;
  int height = 0;
  int left = 0;  ///< position of the slice's upper left corner
  int top = 0;
  int up_labels_width = 0;  ///< of the widest label of the upward axis
};

/// Sizes and positions of all parts of a figure, in points of the picture.
struct Layout {
  std::vector<Panel> panels;
  std::vector<Tick> bar_ticks{};
  int bar_left = 0;
  int bar_top = 0;
  int bar_height = 0;
  std::string title{};  ///< shortened to the available width
  Font title_font{22.0};
  int width = 0;  ///< of the picture
  int height = 0;
};

/// Computes the layout. Panels have the proportions of the domain, all to the same scale, as large
/// as fits a screen. Thin panels have a minimum width.
///
/// In 3D the panels lie next to each other or partly one above the other, whichever gives the
/// larger scale. The colour bar is to the right of them, as tall as the tallest column.
/// @param paper  any sheet, to measure texts
/// @param remark  a text below the colour bar; may be empty
Layout arranged(Paper const& paper, Grid const& grid, std::vector<Slice> const& slices,
                Range values, std::string const& title, std::string const& remark);

/// Returns the label of a tick as it is drawn: with typographic signs if a font has them.
std::string label_of(Tick const& tick, Paper const& paper);

/// Returns 'x', 'y' or 'z'.
inline char axis_name(int axis) { return static_cast<char>('x' + axis); }

}  // namespace isotherm::figure
