#include "io/picture/figure/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numbers>

#include "io/picture/contours.hpp"
#include "io/picture/figure/contour_labels.hpp"
#include "io/picture/figure/figure_layout.hpp"
#include "io/picture/figure/labels.hpp"
#include "io/picture/plot/field_curve.hpp"

namespace isotherm {
namespace {

using namespace figure;

constexpr Colour ink{38, 38, 46};          // axes and text
constexpr Colour light{255, 255, 255};     // contours on dark colours; excluded points
constexpr Colour outline{140, 140, 140};   // where the material changes
constexpr double contour_thickness = 1.4;  // in points of the picture
constexpr double contour_number_height = 11.0;

/// Distances in points between the places where contours are computed. The smallest distance is
/// used that keeps the number of places below the limit.
constexpr std::array contour_steps{2, 4, 8, 16};
/// Limit on the places of all lines of a panel.
constexpr std::size_t max_contour_places = 100'000;

/// The contour lines of one level.
struct Contours {
  Tick level;
  std::vector<Contour> lines;
};

/// Interpolates samples linearly at columns × rows evenly spaced places of the slice, with the
/// materials of the places.
SliceSamples resampled(SliceSamples const& samples, std::int64_t columns, std::int64_t rows) {
  SliceSamples seen{columns, rows};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      double const right = static_cast<double>(column) / static_cast<double>(columns - 1);
      double const up = static_cast<double>(row) / static_cast<double>(rows - 1);
      seen.values.push_back(samples.at(right, up));
      if (!samples.materials.empty()) seen.materials.push_back(samples.material_at(right, up));
    }
  }
  return seen;
}

/// The number of places of all lines, which determines the cost of drawing and the size of an SVG.
std::size_t place_count(std::vector<Contours> const& all) {
  std::size_t count = 0;
  for (Contours const& contours : all) {
    for (Contour const& line : contours.lines) {
      count += line.places.size();
    }
  }
  return count;
}

/// Returns the contour lines of a panel. A field of noise has lines everywhere; they are computed
/// at coarser steps, so the time to draw them is bounded.
std::vector<Contours> contours_of(SliceSamples const& samples, Panel const& panel,
                                  std::vector<Tick> const& levels) {
  std::vector<Contours> all;
  // From the finest to the coarsest.
  for (int const step : contour_steps) {
    SliceSamples const seen = resampled(samples, 1 + std::max(1, panel.width / step),
                                        1 + std::max(1, panel.height / step));
    all.clear();
    for (Tick const& level : levels) {
      all.push_back({level, contours_at(seen, level.value)});
    }
    // The coarsest step is used even if it exceeds the limit.
    if (place_count(all) <= max_contour_places) {
      break;
    }
  }
  return all;
}

/// Returns the levels strictly between the smallest and the largest value: a contour at either end
/// would separate nothing.
/// @param wanted  approximate number; 0: one at each tick of the colour bar; nullopt: no contours
std::vector<Tick> contour_levels(Range values, std::vector<Tick> const& bar_ticks,
                                 std::optional<int> wanted) {
  std::vector<Tick> levels;
  if (wanted) {
    for (Tick const& tick :
         *wanted > 0 ? levels_between(values.lower, values.upper, *wanted) : bar_ticks) {
      double const place = values.place(tick.value);
      // A tick may miss the end of the range by rounding only.
      if (values.upper > values.lower && place > 1e-6 && place < 1 - 1e-6) {
        levels.push_back(tick);
      }
    }
  }
  return levels;
}

/// A colour that is visible on another one.
Colour visible_on(Colour background) {
  constexpr double light_colours_from = 0.375;
  return luminance(background) < light_colours_from ? light : ink;
}

/// The number of pixels per unit of length; 1 unless a width is wanted.
double pixels_per_length(Layout const& layout, PictureLook const& look) {
  return look.width ? static_cast<double>(*look.width) / layout.width : 1.0;
}

/// True if values beyond the colour bar occur.
struct Beyond {
  bool below = false;
  bool above = false;
};

/// The arrows of a figure. All panels have the same scale of length and of arrows.
struct ArrowScale {
  double pitch = 0.0;      ///< distance between arrows, in the unit of the views' lengths
  double magnitude = 0.0;  ///< of a typical arrow; 0: no arrows
  double length = 0.0;     ///< of a typical arrow, in points of the picture
};

ArrowScale arrow_scale(std::vector<View> const& views, Panel const& panel, double magnitude) {
  constexpr double share = 0.85;  // of the distance between arrows
  double const points = std::max(panel.width, panel.height) /
                        std::max(panel.view->right_length, panel.view->up_length);
  return {arrow_pitch(views), magnitude, share * arrow_distance(views) * points};
}

/// Draws the parts of a figure on a Paper.
class Drawing {
 public:
  Drawing(Layout const& layout, Range values, PictureOptions const& options)
      : layout_(layout),
        values_(values),
        options_(options),
        map_(options.look.colour_map),
        levels_(contour_levels(values, layout.bar.ticks, options.look.contours)),
        pixels_(pixels_per_length(layout, options.look)),
        paper_(options.format, layout.width, layout.height, pixels_) {}

  /// Draws a view with its contours, arrows, axes and caption.
  void panel(Panel const& panel, ArrowScale const& scale);
  /// Draws the colour bar with ticks, contour levels, marks at its ends and the field's name.
  void colour_bar(Beyond beyond);
  /// Explains the colour that is not on the bar: that of NaN.
  void remark(std::string const& text);
  /// Draws an arrow of the given length with a text that explains it, and below it a text on the
  /// largest arrow, which may be empty.
  void legend(double length, std::string const& text, std::string const& largest);
  /// Draws the title above all panels.
  void title();
  /// Returns the bytes of the file.
  std::string finish() { return paper_.finish(options_.title); }

 private:
  /// Draws the colours of a view, one per pixel.
  void field(Panel const& panel);
  /// Draws the contour lines of a view with their numbers. @returns  where the numbers are
  std::vector<LineLabel> contours(Panel const& panel);
  /// Draws the arrows of a view that do not cover numbers.
  void arrows(Panel const& panel, ArrowScale const& scale, std::vector<LineLabel> const& numbers);
  /// Draws a small circle at each marked place of a view.
  void marks(Panel const& panel);
  /// Draws an arrow around a place; `right` and `up` are its extents in points of the picture.
  void arrow(Paper::Place middle, double right, double up, Colour colour);
  /// Draws the name of the view and "z = 0.5", with the axis in italics.
  void caption(Panel const& panel);
  /// Draws ticks, labels and name of the axis below a view.
  void right_axis(Panel const& panel);
  /// Draws ticks, labels and name of the axis left of a view.
  void up_axis(Panel const& panel);
  /// Draws the name of an axis, in italics, with the unit of length.
  /// @param middle  of the whole text
  void axis_label(Paper::Place middle, std::string const& axis, Paper::Direction direction);
  /// Draws the colours of the bar and the contour levels on it.
  void bar_colours();
  /// Draws the triangles at the ends of the bar.
  void bar_marks(Beyond beyond);
  /// Draws the ticks and the label of an upright, or of a lying, bar.
  void upright_bar_labels();
  void lying_bar_labels();
  /// Returns a place on the bar: at `along` from its lower end, `across` from its left or lower
  /// side.
  [[nodiscard]] Paper::Place on_bar(double along, double across) const;

  Layout const& layout_;
  Range values_;
  PictureOptions const& options_;
  ColourMap map_;
  std::vector<Tick> levels_;  ///< of the contours; empty: no contours
  double pixels_;             ///< per unit of length
  Paper paper_;
};

/// The colours of the pixels of a view.
class Pixels {
 public:
  /// @param has_ends  true: values beyond the range have colours of their own
  Pixels(SliceSamples const& samples, int columns, int rows, double pixels, bool has_ends)
      : samples_(samples),
        columns_(columns),
        rows_(rows),
        has_ends_(has_ends),
        outline_(std::max(1, static_cast<int>(std::lround(pixels)))) {}

  /// The colour of a pixel, counted from the upper left corner: that of the value; white for
  /// excluded points; grey where the material changes.
  [[nodiscard]] Colour colour_at(int x, int y, ColourMap const& map, Range values) const {
    int const material = material_at(x, y);
    bool const differs_from_left = x >= outline_ && material_at(x - outline_, y) != material;
    bool const differs_from_above = y >= outline_ && material_at(x, y - outline_) != material;
    if (differs_from_left || differs_from_above) return outline;
    if (material == SliceSamples::excluded) return light;
    double const place = values.place(samples_.at(right_of(x), up_of(y)));
    // Values next to excluded places are extrapolated, and may lie beyond those of the field.
    return map(has_ends_ ? place : std::clamp(place, 0.0, 1.0));
  }

 private:
  // Pixel rows count downwards, coordinates upwards. Values are taken at the centres of pixels.
  [[nodiscard]] double up_of(int y) const { return 1.0 - (y + 0.5) / rows_; }
  [[nodiscard]] double right_of(int x) const { return (x + 0.5) / columns_; }
  [[nodiscard]] int material_at(int x, int y) const {
    return samples_.materials.empty() ? 0 : samples_.material_at(right_of(x), up_of(y));
  }

  SliceSamples const& samples_;
  int columns_, rows_;
  bool has_ends_;
  int outline_;  ///< thickness in pixels
};

void Drawing::panel(Panel const& panel, ArrowScale const& scale) {
  // From bottom to top: later parts cover earlier ones.
  field(panel);
  std::vector<LineLabel> const numbers = contours(panel);
  arrows(panel, scale, numbers);
  marks(panel);
  paper_.frame(panel.left, panel.top, panel.width, panel.height, ink);
  right_axis(panel);
  up_axis(panel);
  caption(panel);
}

void Drawing::field(Panel const& panel) {
  int const columns = static_cast<int>(std::lround(panel.width * pixels_));
  int const rows = static_cast<int>(std::lround(panel.height * pixels_));
  Pixels const pixels(panel.view->samples, columns, rows, pixels_,
                      options_.look.values.has_value());
  std::vector<Colour> points;
  points.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) points.push_back(pixels.colour_at(x, y, map_, values_));
  }
  paper_.image(panel.left, panel.top, panel.width, panel.height, columns, points);
}

/// Converts a place of a view, from (0 … 1)², upwards, to one of the canvas, downwards.
Paper::Place on_paper(Panel const& panel, double right, double up) {
  return {panel.left + right * panel.width, panel.top + (1.0 - up) * panel.height};
}

std::vector<LineLabel> Drawing::contours(Panel const& panel) {
  std::vector<DrawnLine> lines;
  std::size_t level = 0;
  for (Contours const& one : contours_of(panel.view->samples, panel, levels_)) {
    for (Contour const& line : one.lines) {
      DrawnLine drawn{{}, line.closed, level};
      for (SlicePlace const place : line.places) {
        drawn.places.push_back(on_paper(panel, place.right, place.up));
      }
      lines.push_back(std::move(drawn));
    }
    ++level;
  }
  std::vector<std::string> numbers;
  std::vector<double> widths;
  std::vector<Colour> colours;
  for (Tick const& tick : levels_) {
    numbers.push_back(label_of(tick, paper_));
    widths.push_back(paper_.width_of(numbers.back(), contour_font));
    colours.push_back(visible_on(map_(values_.place(tick.value))));
  }
  LabelArea const area{1.0 * panel.left, 1.0 * panel.top, 1.0 * panel.width, 1.0 * panel.height};
  LabelledLines const all = labelled(lines, widths, contour_number_height, area);
  for (DrawnLine const& line : all.lines) {
    paper_.line(line.places, line.closed ? Paper::Ends::closed : Paper::Ends::open,
                contour_thickness, colours[line.level]);
  }
  for (LineLabel const& label : all.labels) {
    paper_.turned_text(label.middle, label.angle, numbers[label.level], contour_font,
                       colours[label.level]);
  }
  return all.labels;
}

void Drawing::arrow(Paper::Place middle, double right, double up, Colour colour) {
  constexpr double head_share = 0.35;  // of the length
  constexpr double longest_head = 9.0;
  constexpr double head_slope = 0.38;  // half its width, relative to its length
  constexpr double thickness = 1.3;
  double const length = std::hypot(right, up);
  Paper::Place const tip{middle.x + 0.5 * right, middle.y - 0.5 * up};
  Paper::Place const tail{middle.x - 0.5 * right, middle.y + 0.5 * up};
  double const head = std::min(longest_head, head_share * length) / length;
  Paper::Place const neck{tip.x - head * right, tip.y + head * up};
  paper_.line({tail, neck}, Paper::Ends::open, thickness, colour);
  double const side = head_slope * head;
  paper_.polygon({tip,
                  {neck.x + side * up, neck.y + side * right},
                  {neck.x - side * up, neck.y - side * right}},
                 colour);
}

/// Half the width of an arrow's head, and some more.
constexpr double arrow_margin = 4.0;

/// Returns the place nearest to `middle` around which an arrow of these extents lies in the frame
/// of a panel, with the width of its head.
Paper::Place inside(Panel const& panel, double right, double up, Paper::Place middle) {
  auto const kept = [](double place, double from, double length, double extent) {
    double const margin = std::min(0.5 * std::abs(extent) + arrow_margin, 0.5 * length);
    return std::clamp(place, from + margin, from + length - margin);
  };
  return {kept(middle.x, panel.left, panel.width, right),
          kept(middle.y, panel.top, panel.height, up)};
}

/// The length at which an arrow of this direction fits into the frame of a panel.
double longest_in(Panel const& panel, double right, double up) {
  auto const fitting = [](double side, double share) {
    double const room = std::max(side - 2.0 * arrow_margin, 0.0);
    return std::abs(share) > 1e-6 ? room / std::abs(share) : room + 1e6;
  };
  return std::min(fitting(panel.width, right), fitting(panel.height, up));
}

/// True if an arrow around a place has no part in a body or on a number.
bool is_clear(Panel const& panel, Paper::Place middle, double right, double up,
              std::vector<LineLabel> const& numbers) {
  constexpr int checks = 8;
  constexpr double distance = 4.0;  // from a number
  for (int i = 0; i <= checks; ++i) {
    double const share = static_cast<double>(i) / checks - 0.5;
    Paper::Place const place{middle.x + share * right, middle.y - share * up};
    double const across = std::clamp((place.x - panel.left) / panel.width, 0.0, 1.0);
    double const upwards = std::clamp(1.0 - (place.y - panel.top) / panel.height, 0.0, 1.0);
    // Bodies have negative numbers.
    if (panel.view->samples.material_at(across, upwards) < 0) return false;
    for (LineLabel const& number : numbers) {
      if (number.covers(place, contour_number_height, distance)) return false;
    }
  }
  return true;
}

void Drawing::arrows(Panel const& panel, ArrowScale const& scale,
                     std::vector<LineLabel> const& numbers) {
  // Shorter ones are specks without a direction, and omitted.
  double const shortest = std::min(8.0, 0.35 * scale.length);
  // Times the typical length: longer ones are shortened, so they do not reach their neighbours.
  constexpr double longest = 1.15;
  if (!(scale.magnitude > 0.0)) return;
  for (Arrow const& one : arrows_on(*panel.view, scale.pitch)) {
    double const magnitude = std::hypot(one.right, one.up);
    if (!(magnitude > 0.0)) continue;
    double const to_right = one.right / magnitude, upwards = one.up / magnitude;
    double const length = std::min(scale.length * std::min(magnitude / scale.magnitude, longest),
                                   longest_in(panel, to_right, upwards));
    if (length < shortest) continue;
    double const value = panel.view->samples.at(one.right_place, one.up_place);
    double const right = length * to_right;
    double const up = length * upwards;
    Paper::Place const middle =
        inside(panel, right, up, on_paper(panel, one.right_place, one.up_place));
    if (!is_clear(panel, middle, right, up, numbers)) continue;
    arrow(middle, right, up, visible_on(map_(values_.place(value))));
  }
}

void Drawing::marks(Panel const& panel) {
  constexpr int corners = 24;
  constexpr double radius = 4.5;
  constexpr double thickness = 1.5;
  for (SlicePlace const& mark : panel.view->marks) {
    Paper::Place const middle = on_paper(panel, mark.right, mark.up);
    std::vector<Paper::Place> circle;
    for (int i = 0; i < corners; ++i) {
      double const angle = 2.0 * std::numbers::pi * i / corners;
      circle.push_back({middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)});
    }
    paper_.polygon(circle, light);
    paper_.line(circle, Paper::Ends::closed, thickness, ink);
  }
}

void Drawing::axis_label(Paper::Place middle, std::string const& axis, Paper::Direction direction) {
  std::string const& name = options_.look.length.name;
  std::string const unit = name.empty() ? "" : ", " + drawable(name);
  double const axis_width = paper_.width_of(axis, axis_font);
  double const half = 0.5 * (axis_width + paper_.width_of(unit, label_font));
  bool const is_level = direction == Paper::Direction::right;
  // The place at a distance from the start of the text.
  auto const at = [&](double along) {
    return is_level ? Paper::Place{middle.x - half + along, middle.y}
                    : Paper::Place{middle.x, middle.y + half - along};
  };
  paper_.text(at(0.0), axis, axis_font, ink, Paper::Align::left, direction);
  if (!unit.empty()) {
    paper_.text(at(axis_width), unit, label_font, ink, Paper::Align::left, direction);
  }
}

void Drawing::caption(Panel const& panel) {
  Caption const& texts = panel.caption;
  double const y = panel.top - gap / 2.0 - line_height / 2.0;
  // A caption that is wider than its panel must not cover the name of the upward axis.
  double x = panel.left + std::max(0.0, 0.5 * (panel.width - texts.width));
  paper_.text({x, y}, texts.name, label_font, ink);
  if (texts.axis.empty()) return;
  x += paper_.width_of(texts.name, label_font);
  paper_.text({x, y}, texts.axis, axis_font, ink);
  x += paper_.width_of(texts.axis, axis_font);
  paper_.text({x, y}, texts.value, label_font, ink);
}

void Drawing::up_axis(Panel const& panel) {
  double const edge = panel.left - 1.0 - tick_length;
  for (Tick const& tick : panel.up_ticks) {
    // Ticks lie at pixel centres, which keeps lines of thickness 1 sharp.
    double const y = panel.top + panel.height - place_on(panel.up, tick.value, panel.height);
    paper_.line({{edge, y}, {edge + tick_length, y}}, Paper::Ends::open, 1.0, ink);
    paper_.text({edge - tick_gap, y}, label_of(tick, paper_), label_font, ink, Paper::Align::right);
  }
  // A single letter is upright; with a unit the text runs upwards.
  axis_label(
      {edge - tick_gap - panel.up_labels_width - line_height / 2.0, panel.top + 0.5 * panel.height},
      isotherm::axis_label(*panel.view, panel.view->up_axis),
      options_.look.length.name.empty() ? Paper::Direction::right : Paper::Direction::up);
}

void Drawing::right_axis(Panel const& panel) {
  double const edge = panel.top + panel.height + 1.0;
  // The vertical centre of the labels.
  double const labels = edge + tick_length + tick_gap + line_height / 2.0 - 2.0;
  double free_from = 0.0;  // labels that would touch the previous one are omitted
  double outwards = -panel.label_shift;
  for (Tick const& tick : panel.right_ticks) {
    double const x = panel.left + place_on(panel.right, tick.value, panel.width);
    std::string const label = label_of(tick, paper_);
    double const half = 0.5 * paper_.width_of(label, label_font);
    paper_.line({{x, edge}, {x, edge + tick_length}}, Paper::Ends::open, 1.0, ink);
    // Labels are as wide as their numbers, so two long ones may collide.
    double const middle = x + outwards;
    if (middle - half >= free_from) {
      paper_.text({middle, labels}, label, label_font, ink, Paper::Align::centre);
      free_from = middle + half + label_distance;
    }
    outwards = panel.label_shift;
  }
  axis_label({panel.left + 0.5 * panel.width, labels + line_height},
             isotherm::axis_label(*panel.view, panel.view->right_axis), Paper::Direction::right);
}

Paper::Place Drawing::on_bar(double along, double across) const {
  ColourBar const& bar = layout_.bar;
  return bar.upright ? Paper::Place{bar.left + across, bar.top + bar.height - along}
                     : Paper::Place{bar.left + along, bar.top + bar.height - across};
}

void Drawing::bar_colours() {
  ColourBar const& bar = layout_.bar;
  int const length = bar.upright ? bar.height : bar.width;
  int const colours = static_cast<int>(std::lround(length * pixels_));
  std::vector<Colour> points;
  for (int i = 0; i < colours; ++i) {
    double const along = (i + 0.5) / colours;
    // A constant field has one colour, that of the middle of the map. Rows count downwards.
    double const place = !(values_.upper > values_.lower) ? 0.5 : bar.upright ? 1.0 - along : along;
    points.push_back(map_(place));
  }
  paper_.image(bar.left, bar.top, bar.width, bar.height, bar.upright ? 1 : colours, points);
  // The levels of the contours are also marked on the bar.
  for (Tick const& level : levels_) {
    double const along = place_on(values_, level.value, length);
    paper_.line({on_bar(along, 0.0), on_bar(along, bar_width)}, Paper::Ends::open,
                contour_thickness, visible_on(map_(values_.place(level.value))));
  }
  paper_.frame(bar.left, bar.top, bar.width, bar.height, ink);
}

void Drawing::bar_marks(Beyond beyond) {
  int const length = layout_.bar.upright ? layout_.bar.height : layout_.bar.width;
  auto const mark = [&](double base, double tip, Colour colour) {
    std::vector<Paper::Place> const corners{on_bar(base, -0.5), on_bar(base, bar_width + 0.5),
                                            on_bar(tip, 0.5 * bar_width)};
    paper_.polygon(corners, colour);
    paper_.line(corners, Paper::Ends::closed, 1.0, ink);
  };
  if (beyond.below) mark(-0.5, 1.0 - mark_length, map_.below());
  if (beyond.above) mark(length + 0.5, length + mark_length - 1.0, map_.above());
}

void Drawing::upright_bar_labels() {
  ColourBar const& bar = layout_.bar;
  double const edge = bar.left + bar.width + 1.0;
  for (Tick const& tick : bar.ticks) {
    double const y = bar.top + bar.height - place_on(values_, tick.value, bar.height);
    paper_.line({{edge, y}, {edge + tick_length, y}}, Paper::Ends::open, 1.0, ink);
    paper_.text({edge + tick_length + tick_gap, y}, label_of(tick, paper_), label_font, ink);
  }
  if (options_.look.label.empty()) {
    // Marks at the ends of the bar have room above it in any case.
    double const top = bar.top - (options_.look.values ? mark_length : 0);
    paper_.text({bar.left + 0.5 * bar.width, top - gap / 2.0 - line_height / 2.0 + 2.0}, bar.label,
                bar.label_font, ink, Paper::Align::centre);
    return;
  }
  double const x = edge + tick_length + 2.0 * tick_gap + bar.labels_width + 0.5 * line_height;
  paper_.text({x, bar.top + 0.5 * bar.height}, bar.label, bar.label_font, ink, Paper::Align::centre,
              Paper::Direction::up);
}

void Drawing::lying_bar_labels() {
  ColourBar const& bar = layout_.bar;
  double const edge = bar.top + bar.height + 1.0;
  double const labels = edge + tick_length + tick_gap + line_height / 2.0 - 2.0;
  for (Tick const& tick : bar.ticks) {
    double const x = bar.left + place_on(values_, tick.value, bar.width);
    paper_.line({{x, edge}, {x, edge + tick_length}}, Paper::Ends::open, 1.0, ink);
    paper_.text({x, labels}, label_of(tick, paper_), label_font, ink, Paper::Align::centre);
  }
  paper_.text({bar.left + 0.5 * bar.width, labels + line_height}, bar.label, bar.label_font, ink,
              Paper::Align::centre);
}

void Drawing::colour_bar(Beyond beyond) {
  bar_colours();
  bar_marks(beyond);
  layout_.bar.upright ? upright_bar_labels() : lying_bar_labels();
}

void Drawing::remark(std::string const& text) {
  int const left = layout_.remark_left;
  int const top = layout_.remark_top;
  // A square in that colour, and the text next to it.
  paper_.fill(left, top, bar_width, bar_width, ColourMap::not_a_number());
  paper_.frame(left, top, bar_width, bar_width, ink);
  paper_.text({left + bar_width + 1.0 + tick_length + tick_gap, top + bar_width / 2.0}, text,
              label_font, ink);
}

void Drawing::legend(double length, std::string const& text, std::string const& largest) {
  double const y = layout_.legend_top + bar_width / 2.0;
  if (!largest.empty()) {
    paper_.text({layout_.legend_left + 0.0, y + line_height}, largest, label_font, ink);
  }
  arrow({layout_.legend_left + 0.5 * length, y}, length, 0.0, ink);
  paper_.text({layout_.legend_left + length + tick_length + tick_gap, y}, text, label_font, ink);
}

void Drawing::title() {
  paper_.text({0.5 * layout_.width, gap + 0.4 * line_height}, layout_.title, layout_.title_font,
              ink, Paper::Align::centre);
}

/// Calls visit(value) for all samples that are not excluded.
template <class Visit>
void for_each_value(std::vector<View> const& views, Visit const& visit) {
  for (View const& view : views) {
    for (std::size_t i = 0; i < view.samples.values.size(); ++i) {
      if (!view.samples.is_excluded(i)) visit(view.samples.values[i]);
    }
  }
}

/// True if any sample that is not excluded is NaN.
bool has_no_number(std::vector<View> const& views) {
  bool found = false;
  for_each_value(views, [&](double value) { found = found || std::isnan(value); });
  return found;
}

/// Finds out which ends of the colour bar the samples exceed.
Beyond values_beyond(std::vector<View> const& views, Range values, ColourMap const& map) {
  Beyond beyond;
  for_each_value(views, [&](double value) {
    Colour const colour = map(values.place(value));
    beyond.below = beyond.below || colour == map.below();
    beyond.above = beyond.above || colour == map.above();
  });
  return beyond;
}

/// The arrow of the legend: a round magnitude, not longer than the width of the colour bar's
/// column.
struct Legend {
  double magnitude = 0.0;
  std::string text{};
  std::string
      largest{};  ///< "up to 8.3×10⁵"; empty if the arrows of several pictures have one scale
};

/// Returns a number with this many digits, without a power of ten if it is neither very large nor
/// very small: "50", "1.2e-07".
std::string rounded_text(double value, int digits) {
  return fmt::format("{:g}", std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
}

/// Returns the legend of arrows with this typical and this largest magnitude.
/// @param largest  nullopt: not mentioned
/// @param unit     of the flux; may be empty
Legend legend_of(double typical, std::optional<double> largest, std::vector<View> const& views,
                 std::string const& unit, Paper const& paper) {
  if (!(typical > 0.0)) return {};
  // The largest of 1, 2 and 5 times a power of ten that is not longer than usual.
  double const power = std::pow(10.0, std::floor(std::log10(typical) + 1e-9));
  double magnitude = power;
  for (double const factor : {2.0, 5.0}) {
    if (factor * power <= typical * (1 + 1e-9)) magnitude = factor * power;
  }
  bool const has_conductivity = !views.front().samples.conductivity_right.empty();
  std::string const number = label_of({0.0, rounded_text(magnitude, 1)}, paper);
  std::string const up_to =
      largest ? "up to " + label_of({0.0, rounded_text(*largest, 2)}, paper) : "";
  // A gradient has another unit.
  std::string const behind = has_conductivity && !unit.empty() ? ' ' + drawable(unit) : "";
  return {magnitude, (has_conductivity ? "flux " : "gradient ") + number + behind,
          up_to.empty() ? "" : up_to + behind};
}

}  // namespace

std::string drawn_figure(std::vector<View> const& views, Range values,
                         PictureOptions const& options) {
  if (are_lines(views)) return drawn_curves(views, values, options);
  // A sheet of one pixel suffices to measure the widths of texts.
  Paper const measure(PictureFormat::png, 1, 1);
  bool const has_arrows = options.look.arrows;
  // In a film the legend must have one size.
  bool const is_single = has_arrows && !options.typical_arrow;
  double const common = has_arrows ? options.typical_arrow.value_or(0.0) : 0.0;
  double const typical = is_single ? typical_arrow(views) : common;
  auto const largest = is_single ? std::optional(largest_flux(views)) : std::nullopt;
  Legend const legend = legend_of(typical, largest, views, options.look.flux_unit, measure);
  // Explained only if the colour of NaN can be seen.
  FigureTexts const texts{options.title,
                          options.look.label,
                          options.field,
                          has_no_number(views) ? "NaN" : "",
                          legend.text,
                          legend.largest,
                          options.look.values.has_value(),
                          options.look.length,
                          options.look.contours};
  // The layout determines the size of the picture, which the drawing needs from the start.
  Layout const layout = arranged(measure, views, values, texts);
  Drawing drawing(layout, values, options);
  ArrowScale const scale = arrow_scale(views, layout.panels.front(), typical);
  for (Panel const& panel : layout.panels) drawing.panel(panel, scale);
  drawing.colour_bar(options.look.values
                         ? values_beyond(views, values, ColourMap(options.look.colour_map))
                         : Beyond{});
  if (!texts.remark.empty()) drawing.remark(texts.remark);
  if (typical > 0.0) {
    drawing.legend(scale.length * legend.magnitude / typical, legend.text, legend.largest);
  }
  drawing.title();
  return drawing.finish();
}

}  // namespace isotherm
