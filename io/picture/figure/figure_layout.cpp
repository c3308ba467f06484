#include "io/picture/figure/figure_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "io/picture/figure/labels.hpp"

namespace isotherm::figure {
namespace {

constexpr int smallest_side = 24;        // of a panel of a thin domain
constexpr int smallest_bar = 160;        // height of the colour bar
constexpr int max_title_width = 1400;    // if the panels are narrower
constexpr double smallest_title = 15.0;  // font size
constexpr std::size_t max_title_letters = 200;

/// The space available to all panels.
struct Space {
  double width;
  double height;
};

/// The numbers of the panels in each column, columns from left to right, panels from top to bottom.
using Columns = std::vector<std::vector<std::size_t>>;

/// The smallest number of whole points that contains a length.
int rounded_up(double length) { return static_cast<int>(std::ceil(length)); }

/// The coordinates of the first and the last point of an axis.
Range axis_range(Grid const& grid, int axis) {
  return {grid.coordinate(axis, 0), grid.coordinate(axis, grid.points[axis] - 1)};
}

/// The length of an axis in the picture, from its first to its last point. An axis of one point has
/// the length of one gap.
double length_of(Grid const& grid, int axis) {
  if (grid.is_graded(axis)) return grid.length(axis);
  double const points = static_cast<double>(std::max<std::int64_t>(grid.points[axis] - 1, 1));
  return points * grid.spacing[axis];
}

/// Returns 1 to 8 ticks for an axis of `points` points, at most one per `points_a_label` points.
std::vector<Tick> axis_ticks(Range range, int points, int points_a_label) {
  return ticks_between(range.lower, range.upper, std::clamp(points / points_a_label, 1, 8));
}
/// Labels of an upward axis need one line each, those of an axis to the right need their width.
std::vector<Tick> upward_ticks(Range range, int points) { return axis_ticks(range, points, 55); }

/// The width of the widest label, rounded up.
int widest_label(Paper const& paper, std::vector<Tick> const& ticks) {
  double widest = 0.0;
  for (Tick const& tick : ticks) {
    widest = std::max(widest, paper.width_of(label_of(tick, paper), label_font));
  }
  return rounded_up(widest);
}

/// The width of an axis left of a panel, or right of the colour bar.
int axis_width(int labels_width) { return tick_length + tick_gap + labels_width; }
/// The space left of a panel: ticks, labels and the name of the axis.
int left_margin(Panel const& panel) { return axis_width(panel.up_labels_width) + line_height; }
/// The space below a panel: ticks, a line of labels and the name of the axis.
int bottom_margin() { return tick_length + tick_gap + 2 * line_height; }
/// The space right of a panel: at least half a label, which is centred below the last tick.
int right_margin(Paper const& paper, Panel const& panel) {
  return std::max(2 * gap, widest_label(paper, panel.right_ticks) / 2 + gap);
}
/// The height of a caption with its distance from the panel; 0 without a caption.
int caption_height(Panel const& panel) {
  return panel.caption_value.empty() ? 0 : line_height + gap / 2;
}
/// The distance between two panels of a column.
int gap_between(Panel const& upper) { return bottom_margin() + caption_height(upper) + gap / 2; }

/// Returns the largest scale, in points of the picture per unit of length, at which all panels fit.
double scale_of(Grid const& grid, std::vector<Panel> const& panels, Columns const& columns,
                Space space) {
  double widths = 0.0;
  double scale = std::numeric_limits<double>::infinity();
  for (auto const& column : columns) {
    double width = 0.0;
    double height = 0.0;
    // Gaps have a fixed size, so only the rest of the height scales with the domain.
    double room = space.height;
    for (std::size_t const i : column) {
      // A column is as wide as its widest panel, and as tall as all of them.
      width = std::max(width, length_of(grid, panels[i].slice.right));
      height += length_of(grid, panels[i].slice.up);
      room -= i == column.front() ? 0 : gap_between(panels[i]);
    }
    widths += width;
    scale = std::min(scale, room / height);
  }
  // Margins between columns are ignored: the space is that of the slices alone.
  return std::min(scale, space.width / widths);
}

/// Returns the panels without sizes.
std::vector<Panel> panels_of(Grid const& grid, std::vector<Slice> const& slices) {
  std::vector<Panel> panels;
  for (Slice const slice : slices) {
    panels.push_back({slice, "", axis_range(grid, slice.right), axis_range(grid, slice.up)});
    // A 2D field has no normal axis.
    if (grid.dimension == 3) {
      panels.back().caption_value =
          fmt::format("{:.4g}", grid.coordinate(slice.normal, slice.index));
    }
  }
  return panels;
}

/// Sets the sizes of the panels, and the ticks that fit.
void give_sizes(Paper const& paper, Grid const& grid, std::vector<Panel>& panels, double scale) {
  for (Panel& panel : panels) {
    auto const side = [&](int axis) {
      return std::max(smallest_side, static_cast<int>(std::lround(scale * length_of(grid, axis))));
    };
    panel.width = side(panel.slice.right);
    panel.height = side(panel.slice.up);
    panel.right_ticks = axis_ticks(panel.right, panel.width, 90);
    panel.up_ticks = upward_ticks(panel.up, panel.height);
    panel.up_labels_width = widest_label(paper, panel.up_ticks);
  }
}

/// The height of a column of panels with the gaps between them.
int height_of(std::vector<Panel> const& panels, std::vector<std::size_t> const& column) {
  int height = 0;
  for (std::size_t const i : column) {
    height += panels[i].height + (i == column.front() ? 0 : gap_between(panels[i]));
  }
  return height;
}

/// Positions the panels of a column one below the other. The last one ends on the common base line;
/// the first one of several starts at `top`.
/// @returns  the right end of the column
int place_column(Paper const& paper, std::vector<Panel>& panels,
                 std::vector<std::size_t> const& column, int left, int top, int base) {
  // Panels of a column are left-aligned: the widest axis determines the margin.
  int margin = 0;
  for (std::size_t const i : column) {
    margin = std::max(margin, left_margin(panels[i]));
  }
  int right = left;
  for (std::size_t const i : column) {
    Panel& panel = panels[i];
    panel.left = left + margin;
    // All columns end on the base line, so their lowest axes are aligned.
    panel.top = i == column.back() ? base - panel.height : top;
    top += panel.height + gap_between(panel);
    right = std::max(right, panel.left + panel.width + right_margin(paper, panel));
  }
  return right;
}

/// Fits the title into the width: first with a smaller font, then by shortening the text. A long
/// title may widen the picture.
void fit_title(Paper const& paper, Layout& layout, std::string const& title) {
  int const room = std::max(layout.width, max_title_width) - 2 * gap;
  std::size_t letters = max_title_letters;
  layout.title = shortened(drawable(title), letters);
  // Terminates: the limit on characters decreases until the text fits.
  while (paper.width_of(layout.title, layout.title_font) > room) {
    if (layout.title_font.size > smallest_title) {
      layout.title_font.size -= 1.0;
    } else {
      letters -= 5;
      layout.title = shortened(drawable(title), letters);
    }
  }
  int const width = rounded_up(paper.width_of(layout.title, layout.title_font)) + 2 * gap;
  layout.width = std::max(layout.width, width);
}

}  // namespace

std::string label_of(Tick const& tick, Paper const& paper) {
  return paper.has_font() ? typeset_number(tick.label) : tick.label;
}

Layout arranged(Paper const& paper, Grid const& grid, std::vector<Slice> const& slices,
                Range values, std::string const& title, std::string const& remark) {
  // 1. The arrangement of the panels, and the scale at which they fit.
  Layout layout{panels_of(grid, slices)};
  std::vector<Panel>& panels = layout.panels;
  Columns columns{{0}};
  // A single panel may fill 720 × 720 points.
  double scale = scale_of(grid, panels, columns, {720, 720});
  if (panels.size() > 1) {
    constexpr Space space{1200, 660};
    bool const all = panels.size() == 3;
    // Panels are placed next to each other or one above the other, whichever gives the larger
    // scale. Flat domains fit better when stacked.
    Columns const stacked = all ? Columns{{0}, {1, 2}} : Columns{{0, 1}};  // for flat domains
    columns = all ? Columns{{0}, {1}, {2}} : Columns{{0}, {1}};
    scale = scale_of(grid, panels, columns, space);
    if (double const other = scale_of(grid, panels, stacked, space); other > scale) {
      columns = stacked;
      scale = other;
    }
  }
  // 2. The sizes of the panels, with the ticks that fit.
  give_sizes(paper, grid, panels, scale);

  // 3. The positions of the panels. The colour bar is as tall as the tallest column.
  int panels_height = smallest_bar;
  for (auto const& column : columns) {
    panels_height = std::max(panels_height, height_of(panels, column));
  }
  int const top = 3 * gap + 2 * line_height;  // title, then captions and the field's name
  int left = gap;
  for (auto const& column : columns) {
    left = place_column(paper, panels, column, left, top, top + panels_height);
  }
  // 4. The colour bar to the right of the panels, then the size of the picture.
  layout.bar_ticks = upward_ticks(values, panels_height);
  layout.bar_left = left;
  layout.bar_top = top;
  layout.bar_height = panels_height;
  layout.height = top + panels_height + bottom_margin() + gap / 2;
  // Remark and bar labels share the space right of the bar.
  int const remark_width = rounded_up(paper.width_of(remark, label_font));
  int const labels = std::max(widest_label(paper, layout.bar_ticks), remark_width);
  layout.width = left + bar_width + axis_width(labels) + gap;
  fit_title(paper, layout, title);
  // Common video formats (yuv420p) require even numbers of pixels.
  layout.width += layout.width % 2;
  layout.height += layout.height % 2;
  return layout;
}

}  // namespace isotherm::figure
