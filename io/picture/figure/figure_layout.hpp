#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/picture/figure/ticks.hpp"
#include "io/picture/figure/view.hpp"
#include "io/picture/length_unit.hpp"
#include "io/picture/paper.hpp"
#include "io/picture/range.hpp"

namespace isotherm::figure {

// Fonts and distances of a figure, in points of the picture (see Paper).
inline constexpr Font label_font{17.0};
inline constexpr Font axis_font{19.0, true};
inline constexpr Font contour_font{14.0};
inline constexpr int gap = 16;  // between parts of the picture
inline constexpr int tick_length = 5;
inline constexpr int tick_gap = 5;  // between a tick and its label
inline constexpr int line_height = 24;
inline constexpr int label_distance = gap / 2;  // between two labels of a level axis
inline constexpr int bar_width = 22;

inline constexpr int mark_length = 14;  // of the triangles at the ends of the colour bar
inline constexpr Font smallest_label_font{12.0};

/// The caption above a panel: three texts one after the other, since the axis has another font.
struct Caption {
  std::string name{};   ///< "coarse, "; empty if the view has no name
  std::string axis{};   ///< "z"; empty in 2D
  std::string value{};  ///< " = 5 mm"
  double width = 0.0;   ///< of all three
};

/// One view with its axes and caption.
struct Panel {
  View const* view = nullptr;
  Range right{}, up{};  ///< coordinates of the view in the picture's unit of length
  std::vector<Tick> right_ticks{}, up_ticks{};
  int width = 0;
  int height = 0;
  int left = 0;  ///< position of the view's upper left corner
  int top = 0;
  int up_labels_width = 0;  ///< of the widest label of the upward axis
  /// How far the two labels of a narrow axis to the right move outwards from their ticks.
  int label_shift = 0;
  Caption caption{};
};

/// The colour bar: to the right of the panels, or below them if they are flat.
struct ColourBar {
  bool upright = true;
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<Tick> ticks{};
  int labels_width = 0;  ///< of the widest label of the ticks
  std::string label{};   ///< shortened to the available length
  Font label_font{};
};

/// Sizes and positions of all parts of a figure, in points of the picture.
struct Layout {
  std::vector<Panel> panels;
  ColourBar bar{};
  int remark_left = 0;  ///< of the colour that is not on the bar
  int remark_top = 0;
  int legend_left = 0;  ///< of the arrows
  int legend_top = 0;
  std::string title{};  ///< shortened to the available width
  Font title_font{22.0};
  int width = 0;  ///< of the picture
  int height = 0;
};

/// The texts of a figure, on which its layout depends.
struct FigureTexts {
  std::string title{};
  std::string label{};   ///< along the colour bar; empty: the name of the field above or below it
  std::string field{};   ///< name of the field
  std::string remark{};  ///< explains a colour that is not on the bar; may be empty
  std::string legend{};  ///< explains the arrows; may be empty
  std::string largest_arrow{};  ///< a line below the legend; may be empty
  bool has_ends = false;        ///< true: marks at the ends of the colour bar need room
  LengthUnit length{};          ///< of coordinates
  /// Wanted number of contour lines, as in PictureLook: the ticks of the colour bar are levels.
  std::optional<int> contours{};
};

/// Computes the layout. Panels have the proportions of the domain, all to the same scale, as large
/// as fits a screen. Thin domains may be longer than others, and their panels have a minimum width.
///
/// Several panels lie next to each other or partly one above the other, whichever gives the larger
/// scale. The colour bar is to the right of them, as tall as the tallest column, or below flat
/// panels.
/// @param paper  any sheet, to measure texts
/// @param views  must outlive the layout
Layout arranged(Paper const& paper, std::vector<View> const& views, Range values,
                FigureTexts const& texts);

/// Returns the distance in points of a value from the lower end of an axis: the centre of the pixel
/// that it falls into.
double place_on(Range range, double value, int length);

/// Returns the label of a tick as it is drawn: with typographic signs if a font has them.
std::string label_of(Tick const& tick, Paper const& paper);

}  // namespace isotherm::figure
