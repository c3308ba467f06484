#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/paper.hpp"
#include "io/picture/range.hpp"
#include "io/picture/slice_sampling.hpp"
#include "io/picture/ticks.hpp"

namespace isotherm::figure {

inline constexpr Font label_font{17.0};
inline constexpr Font axis_font{19.0, true};
inline constexpr int gap = 16;  // between parts of the picture
inline constexpr int tick_length = 5;
inline constexpr int tick_gap = 5;  // between a tick and its label
inline constexpr int line_height = 24;
inline constexpr int bar_width = 22;

/// One slice with its axes.
struct Panel {
  Slice slice;
  std::string caption_value;  ///< where the slice lies on its normal axis; empty: no caption
  Range right, up;            ///< coordinates
  std::vector<Tick> right_ticks{}, up_ticks{};
  int width = 0;
  int height = 0;
  int left = 0;  ///< place of the slice's upper left corner
  int top = 0;
  int up_labels_width = 0;
};

/// Where everything is.
struct Layout {
  std::vector<Panel> panels;
  std::vector<Tick> bar_ticks{};
  int bar_left = 0;
  int bar_top = 0;
  int bar_height = 0;
  std::string title{};  ///< as far as there is room for it
  Font title_font{22.0};
  int width = 0;  ///< of the picture
  int height = 0;
};

/// The panels with the domain's proportions, all to the same scale, as large as a screen has room
/// for; thin ones have some width in any case.
/// @param paper    any, to measure texts with
/// @param remark   a text below the colour bar, or none
Layout arranged(Paper const& paper, Grid const& grid, std::vector<Slice> const& slices,
                Range values, std::string const& title, std::string const& remark);

/// A tick's label as it is drawn.
std::string label_of(Tick const& tick, Paper const& paper);

inline char axis_name(int axis) { return static_cast<char>('x' + axis); }

}  // namespace isotherm::figure
