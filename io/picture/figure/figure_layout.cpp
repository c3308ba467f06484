#include "io/picture/figure/figure_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "io/picture/figure/labels.hpp"

namespace isotherm::figure {
namespace {

constexpr int smallest_side = 24;        // of a panel of a thin domain
constexpr int smallest_bar = 160;        // height of the colour bar
constexpr int flat_height = 230;         // lower panels have the colour bar below them
constexpr int flat_width = 420;          // if they are at least this wide
constexpr int longest_flat_bar = 720;    // of a colour bar below the panels
constexpr int narrow_title_width = 700;  // to which a title may widen the picture
constexpr int max_title_width = 1400;    // if that does not suffice
constexpr double smallest_title = 15.0;  // font size
constexpr std::size_t max_title_letters = 200;
constexpr std::size_t max_label_letters = 100;

/// The space available to all panels.
struct Space {
  double width;
  double height;
};

/// The numbers of the panels in each column, columns from left to right, panels from top to bottom.
using Columns = std::vector<std::vector<std::size_t>>;

/// The smallest number of whole points that contains a length.
int rounded_up(double length) { return static_cast<int>(std::ceil(length)); }

constexpr int max_ticks = 8;

/// The number of ticks for an axis of `points` points, at most one per `points_a_label` points.
int tick_count(int points, int points_a_label) {
  return std::clamp(points / points_a_label, 1, max_ticks);
}

/// Returns ticks for an axis of `points` points. A short axis has two if they fit, since a single
/// one is no scale.
std::vector<Tick> axis_ticks(Range range, int points, int points_a_label) {
  constexpr double min_distance = 20.0;  // of the two ticks of an axis shorter than a label
  int const usual = tick_count(points, points_a_label);
  std::vector<Tick> ticks = ticks_between(range.lower, range.upper, usual);
  for (int wanted = usual + 1; ticks.size() < 2 && wanted <= max_ticks; ++wanted) {
    std::vector<Tick> more = ticks_between(range.lower, range.upper, wanted);
    if (more.size() < 2) continue;
    double const apart = points * (more[1].value - more[0].value) / (range.upper - range.lower);
    if (apart >= 0.4 * points_a_label) return more;
    double const of_ends = apart * static_cast<double>(more.size() - 1);
    if (points >= points_a_label) return ticks;
    if (of_ends >= min_distance) return {more.front(), more.back()};
  }
  return ticks;
}

/// True if each tick of `some` is one of `all`.
bool are_among(std::vector<Tick> const& some, std::vector<Tick> const& all, Range range) {
  double const tolerance = 1e-6 * (range.upper - range.lower);
  return std::ranges::all_of(some, [&](Tick const& one) {
    return std::ranges::any_of(
        all, [&](Tick const& other) { return std::abs(one.value - other.value) <= tolerance; });
  });
}

/// Returns the ticks of the colour bar. With contours they are levels, or the levels are ticks.
std::vector<Tick> bar_ticks(Range values, int points, int points_a_label,
                            std::optional<int> contours) {
  if (!contours || *contours == 0) return axis_ticks(values, points, points_a_label);
  std::vector<Tick> levels = levels_between(values.lower, values.upper, *contours);
  int const usual = tick_count(points, points_a_label);
  if (levels.size() >= 3 && static_cast<int>(levels.size()) <= usual + 1) return levels;
  for (int wanted = usual; wanted > 0; --wanted) {
    std::vector<Tick> ticks = ticks_between(values.lower, values.upper, wanted);
    bool const fit = are_among(ticks, levels, values) || are_among(levels, ticks, values);
    if (ticks.size() >= 2 && fit) return ticks;
  }
  return axis_ticks(values, points, points_a_label);
}
/// Labels of an upward axis need one line each, those of an axis to the right need their width.
constexpr int upward_label = 55;
constexpr int level_label = 90;

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
/// The space left of a panel: ticks, labels and the name of the axis, or half a label below it.
int left_margin(Paper const& paper, Panel const& panel) {
  int const below =
      panel.label_shift == 0 ? 0 : panel.label_shift + widest_label(paper, panel.right_ticks) / 2;
  return std::max(axis_width(panel.up_labels_width) + line_height, below);
}
/// The space below a panel: ticks, a line of labels and the name of the axis.
int bottom_margin() { return tick_length + tick_gap + 2 * line_height; }
/// The space right of a panel: at least half a label, which is centred below the last tick, and the
/// end of a caption that is wider than the panel.
int right_margin(Paper const& paper, Panel const& panel) {
  int const label = panel.label_shift + widest_label(paper, panel.right_ticks) / 2;
  int const caption = rounded_up(panel.caption.width) - panel.width;
  return std::max({2 * gap, label + gap, caption + gap});
}
/// The height of a caption with its distance from the panel; 0 without a caption.
int caption_height(Panel const& panel) {
  bool const has_caption = !panel.view->normal_axis.empty() || !panel.view->name.empty();
  return has_caption ? line_height + gap / 2 : 0;
}
/// The distance between two panels of a column.
int gap_between(Panel const& upper) { return bottom_margin() + caption_height(upper) + gap / 2; }

/// Returns the largest scale, in points of the picture per unit of length, at which all panels fit.
double scale_of(std::vector<Panel> const& panels, Columns const& columns, Space space) {
  double widths = 0.0;
  double scale = std::numeric_limits<double>::infinity();
  for (auto const& column : columns) {
    double width = 0.0;
    double height = 0.0;
    // Gaps have a fixed size, so only the rest of the height scales with the domain.
    double room = space.height;
    for (std::size_t const i : column) {
      // A column is as wide as its widest panel, and as tall as all of them.
      width = std::max(width, panels[i].view->right_length);
      height += panels[i].view->up_length;
      room -= i == column.front() ? 0 : gap_between(panels[i]);
    }
    widths += width;
    scale = std::min(scale, std::max(room, 1.0) / height);
  }
  // Margins between columns are ignored: the space is that of the slices alone.
  return std::min(scale, space.width / widths);
}

/// The space of a single panel: 720 × 720 points, and more along a thin domain.
Space space_of(View const& view) {
  constexpr double side = 720.0;
  double const ratio = view.right_length / view.up_length;
  // From 2 : 1 on, the longer side grows with the ratio.
  return {std::clamp(0.5 * ratio * side, side, 1200.0),
          std::clamp(0.5 / ratio * side, side, 1000.0)};
}

/// All ways to divide the sequence of panels into columns; the single row is the first.
std::vector<Columns> arrangements(std::size_t count) {
  std::vector<Columns> all;
  // Each bit of `stacks` puts a panel below the previous one.
  for (std::size_t stacks = 0; stacks < (std::size_t{1} << (count - 1)); ++stacks) {
    Columns columns{{0}};
    for (std::size_t i = 1; i < count; ++i) {
      bool const is_below = ((stacks >> (count - 1 - i)) & 1U) != 0;
      if (!is_below) columns.emplace_back();
      columns.back().push_back(i);
    }
    all.push_back(std::move(columns));
  }
  return all;
}

/// How the panels are placed, and their scale.
struct Arrangement {
  Columns columns;
  double scale;
};

/// Returns all panels below each other, in the height that suits three slices of a thin piece.
Arrangement stacked(std::vector<Panel> const& panels) {
  constexpr Space tall{1200, 760};
  Columns columns(1);
  for (std::size_t i = 0; i < panels.size(); ++i) columns.front().push_back(i);
  double const scale = scale_of(panels, columns, tall);
  return {std::move(columns), scale};
}

/// Chooses the arrangement with the largest scale. A little is not worth a tower of panels, except
/// for a thin piece, whose slices would leave most of a second column white.
Arrangement best_arrangement(std::vector<Panel> const& panels) {
  if (panels.size() == 1) {
    return {{{0}}, scale_of(panels, {{0}}, space_of(*panels[0].view))};
  }
  constexpr Space space{1200, 660};
  constexpr double clearly_larger = 1.15;
  Arrangement best{{}, 0.0};
  for (Columns const& columns : arrangements(panels.size())) {
    double const scale = scale_of(panels, columns, space);
    bool const is_usual =
        panels.size() == 2 || (columns.size() + 1 >= panels.size() && columns.front().size() == 1);
    if (scale > best.scale * (best.scale == 0.0 || is_usual ? 1.0 : clearly_larger)) {
      best = {columns, scale};
    }
  }
  // Three slices of a cube lie in a row; two of a thin piece, and three, below each other.
  double const enough = panels.size() == 3 ? 0.75 : 1.0;
  Arrangement tower = stacked(panels);
  return panels.size() <= 3 && tower.scale >= enough * best.scale ? tower : best;
}

/// Returns the coordinate of a slice with its unit: "5 mm".
std::string place_label(Paper const& paper, double place, LengthUnit const& unit) {
  std::string const number = label_of({0.0, fmt::format("{:.4g}", unit.scale * place)}, paper);
  return unit.name.empty() ? number : number + ' ' + drawable(unit.name);
}

/// Returns the caption of a panel. A name is shortened to the width of the panel, and to some more
/// if that is narrow.
Caption caption_of(Paper const& paper, Panel const& panel, LengthUnit const& unit) {
  View const& view = *panel.view;
  Caption caption;
  if (!view.normal_axis.empty()) {
    caption.axis = view.normal_axis;
    caption.value = " = " + place_label(paper, view.normal_place, unit);
  }
  double const of_place =
      paper.width_of(caption.axis, axis_font) + paper.width_of(caption.value, label_font);
  std::string const between = view.name.empty() || caption.value.empty() ? "" : ", ";
  std::string const text = drawable(view.name);
  double const room = std::max<double>(panel.width, 4 * line_height) - of_place;
  std::size_t letters = text.size();
  caption.name = text + between;
  while (letters > 4 && paper.width_of(caption.name, label_font) > room) {
    caption.name = shortened(text, --letters) + between;
  }
  caption.width = paper.width_of(caption.name, label_font) + of_place;
  return caption;
}

/// Returns how far each of two labels below a panel moves outwards, so that they do not touch.
int label_shift_of(Paper const& paper, Panel const& panel) {
  if (panel.right_ticks.size() != 2) return 0;
  Tick const& first = panel.right_ticks.front();
  Tick const& last = panel.right_ticks.back();
  double const distance = place_on(panel.right, last.value, panel.width) -
                          place_on(panel.right, first.value, panel.width);
  double const widths = paper.width_of(label_of(first, paper), label_font) +
                        paper.width_of(label_of(last, paper), label_font);
  return std::max(0, rounded_up(0.5 * (0.5 * widths + label_distance - distance)));
}

/// Returns the panels without sizes.
std::vector<Panel> panels_of(std::vector<View> const& views, LengthUnit const& unit) {
  auto const in_unit = [&](Range range) {
    return Range{unit.scale * range.lower, unit.scale * range.upper};
  };
  std::vector<Panel> panels;
  panels.reserve(views.size());
  for (View const& view : views) panels.push_back({&view, in_unit(view.right), in_unit(view.up)});
  return panels;
}

/// Sets the sizes of the panels, the ticks that fit, and the captions.
void give_sizes(Paper const& paper, std::vector<Panel>& panels, double scale,
                LengthUnit const& unit) {
  for (Panel& panel : panels) {
    auto const side = [&](double length) {
      return std::max(smallest_side, static_cast<int>(std::lround(scale * length)));
    };
    panel.width = side(panel.view->right_length);
    panel.height = side(panel.view->up_length);
    panel.right_ticks = axis_ticks(panel.right, panel.width, level_label);
    panel.up_ticks = axis_ticks(panel.up, panel.height, upward_label);
    panel.up_labels_width = widest_label(paper, panel.up_ticks);
    panel.label_shift = label_shift_of(paper, panel);
    panel.caption = caption_of(paper, panel, unit);
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
    margin = std::max(margin, left_margin(paper, panels[i]));
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

/// Sets the label along the colour bar: in a smaller font, or shortened, if it is longer.
void fit_label(Paper const& paper, ColourBar& bar, FigureTexts const& texts) {
  bar.label = drawable(texts.label.empty() ? texts.field : texts.label);
  bar.label_font = texts.label.empty() ? axis_font : label_font;
  int const room = std::max(bar.upright ? bar.height : bar.width, smallest_bar) + 2 * line_height;
  std::size_t letters = max_label_letters;
  while (paper.width_of(bar.label, bar.label_font) > room) {
    if (bar.label_font.size > smallest_label_font.size) {
      bar.label_font.size -= 1.0;
    } else {
      letters -= 2;
      bar.label = shortened(drawable(texts.label), letters);
    }
  }
}

/// Places the colour bar to the right of the panels, with remark and legend below it.
/// @param base  the lower end of the panels
void place_upright_bar(Paper const& paper, Layout& layout, int left, int top, int base,
                       Range values, FigureTexts const& texts) {
  ColourBar& bar = layout.bar;
  int const ends = texts.has_ends ? mark_length : 0;
  bar.left = left;
  bar.top = top + ends;
  bar.width = bar_width;
  bar.height = base - top - 2 * ends;
  bar.ticks = bar_ticks(values, bar.height, upward_label, texts.contours);
  bar.labels_width = widest_label(paper, bar.ticks);
  fit_label(paper, bar, texts);
  int const beyond_label = texts.label.empty() ? 0 : line_height;
  layout.remark_left = layout.legend_left = left;
  layout.remark_top = base + gap;
  layout.legend_top = layout.remark_top + (texts.remark.empty() ? 0 : line_height + tick_gap);
  // Remark and bar labels share the space right of the bar.
  int const texts_width = rounded_up(
      std::max({paper.width_of(texts.remark, label_font), paper.width_of(texts.legend, label_font),
                paper.width_of(texts.largest_arrow, label_font) - bar_width}));
  int const labels = std::max(bar.labels_width + beyond_label, texts_width);
  layout.width = left + bar.width + axis_width(labels) + gap;
  layout.height = base + bottom_margin() + gap / 2;
  if (!texts.legend.empty()) {
    int const lines = texts.largest_arrow.empty() ? 0 : line_height;
    layout.height = std::max(layout.height, layout.legend_top + bar_width + lines + gap);
  }
}

/// Places the colour bar below flat panels, with remark and legend to its right.
void place_lying_bar(Paper const& paper, Layout& layout, int right, int base, Range values,
                     FigureTexts const& texts) {
  ColourBar& bar = layout.bar;
  bar.upright = false;
  int const ends = texts.has_ends ? mark_length : 0;
  int const left = layout.panels.front().left;
  auto const room_for = [&](std::string const& text) {
    return text.empty()
               ? 0
               : bar_width + axis_width(rounded_up(paper.width_of(text, label_font))) + 2 * gap;
  };
  int const explained =
      room_for(texts.remark) + std::max(room_for(texts.legend), room_for(texts.largest_arrow));
  int const available = right - 2 * gap - left - explained;
  bar.width = std::clamp(available, smallest_bar, longest_flat_bar) - 2 * ends;
  bar.left = left + ends;
  bar.top = base + bottom_margin() + gap;
  bar.height = bar_width;
  bar.ticks = bar_ticks(values, bar.width, level_label, texts.contours);
  fit_label(paper, bar, texts);
  layout.remark_top = layout.legend_top = bar.top;
  layout.remark_left = bar.left + bar.width + ends + 2 * gap;
  layout.legend_left = layout.remark_left + room_for(texts.remark);
  layout.width = std::max(right, layout.remark_left + explained);
  layout.height = bar.top + bar.height + bottom_margin() + gap / 2;
}

/// Fits the title into the width: first with a smaller font, then by shortening the text. A long
/// title may widen the picture; the panels then move to the middle.
void fit_title(Paper const& paper, Layout& layout, std::string const& title) {
  auto const width = [&] {
    return rounded_up(paper.width_of(layout.title, layout.title_font)) + 2 * gap;
  };
  std::size_t letters = max_title_letters;
  layout.title = shortened(drawable(title), letters);
  while (width() > std::max(layout.width, narrow_title_width) &&
         layout.title_font.size > smallest_title) {
    layout.title_font.size -= 1.0;
  }
  // Terminates: the limit on characters decreases until the text fits.
  while (width() > std::max(layout.width, max_title_width)) {
    letters -= 5;
    layout.title = shortened(drawable(title), letters);
  }
  int const shift = std::max(0, width() - layout.width) / 2;
  for (Panel& panel : layout.panels) panel.left += shift;
  layout.bar.left += shift;
  layout.remark_left += shift;
  layout.legend_left += shift;
  layout.width = std::max(layout.width, width());
}

}  // namespace

double place_on(Range range, double value, int length) {
  double const place = std::clamp(range.place(value), 0.0, 1.0);
  return std::min(std::floor(place * length), length - 1.0) + 0.5;
}

std::string label_of(Tick const& tick, Paper const& paper) {
  return paper.has_font() ? typeset_number(tick.label) : tick.label;
}

Layout arranged(Paper const& paper, std::vector<View> const& views, Range values,
                FigureTexts const& texts) {
  // 1. The arrangement of the panels, and the scale at which they fit.
  Layout layout{panels_of(views, texts.length)};
  std::vector<Panel>& panels = layout.panels;
  auto const [columns, scale] = best_arrangement(panels);
  // 2. The sizes of the panels, with the ticks that fit.
  give_sizes(paper, panels, scale, texts.length);

  // 3. The positions of the panels. An upright colour bar is as tall as the tallest column.
  int height = 0;
  int widths = 0;
  for (auto const& column : columns) {
    height = std::max(height, height_of(panels, column));
    int width = 0;
    for (std::size_t const i : column) width = std::max(width, panels[i].width);
    widths += width;
  }
  bool const is_flat = height < flat_height && widths >= flat_width;
  if (!is_flat) height = std::max(height, smallest_bar);
  bool const has_captions =
      std::ranges::any_of(panels, [](Panel const& panel) { return caption_height(panel) > 0; });
  // The title, then captions and the field's name, which is above an upright bar without a label.
  bool const has_names = has_captions || (!is_flat && texts.label.empty());
  int const top = 3 * gap + (has_names ? 2 : 1) * line_height;
  int left = gap;
  for (auto const& column : columns) {
    left = place_column(paper, panels, column, left, top, top + height);
  }
  // 4. The colour bar, then the size of the picture.
  if (is_flat) {
    place_lying_bar(paper, layout, left, top + height, values, texts);
  } else {
    place_upright_bar(paper, layout, left, top, top + height, values, texts);
  }
  fit_title(paper, layout, texts.title);
  // Common video formats (yuv420p) require even numbers of pixels.
  layout.width += layout.width % 2;
  layout.height += layout.height % 2;
  return layout;
}

}  // namespace isotherm::figure
