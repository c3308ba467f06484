#include "io/picture/figure/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/picture/contours.hpp"
#include "io/picture/figure/figure_layout.hpp"

namespace isotherm {
namespace {

using namespace figure;

constexpr Colour ink{38, 38, 46};          // axes and text
constexpr Colour light{255, 255, 255};     // contours on dark colours; excluded points
constexpr Colour outline{140, 140, 140};   // where the material changes
constexpr double contour_thickness = 1.4;  // in points of the picture

/// Distances in points between the places where contours are computed. The smallest distance is
/// used that keeps the number of places below the limit.
constexpr std::array contour_steps{2, 4, 8, 16};
/// Limit on the places of all lines of a panel.
constexpr std::size_t max_contour_places = 100'000;

/// The contour lines of one level.
struct Contours {
  double level;
  std::vector<Contour> lines;
};

/// Interpolates samples linearly at columns × rows evenly spaced places of the slice.
SliceSamples resampled(SliceSamples const& samples, std::int64_t columns, std::int64_t rows) {
  SliceSamples seen{columns, rows};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      seen.values.push_back(
          samples.at(static_cast<double>(column) / static_cast<double>(columns - 1),
                     static_cast<double>(row) / static_cast<double>(rows - 1)));
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
                                  std::vector<double> const& levels) {
  std::vector<Contours> all;
  // From the finest to the coarsest.
  for (int const step : contour_steps) {
    SliceSamples const seen = resampled(samples, 1 + std::max(1, panel.width / step),
                                        1 + std::max(1, panel.height / step));
    all.clear();
    for (double const level : levels) {
      all.push_back({level, contours_at(seen, level)});
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
std::vector<double> contour_levels(Range values, std::vector<Tick> const& bar_ticks,
                                   std::optional<int> wanted) {
  std::vector<double> levels;
  if (wanted) {
    for (Tick const& tick :
         *wanted > 0 ? ticks_between(values.lower, values.upper, *wanted) : bar_ticks) {
      double const place = values.place(tick.value);
      // A tick may miss the end of the range by rounding only.
      if (values.upper > values.lower && place > 1e-6 && place < 1 - 1e-6) {
        levels.push_back(tick.value);
      }
    }
  }
  return levels;
}

/// A colour that is visible on the colour of `value`.
Colour contour_colour(Range values, double value) {
  // The upper part of the colour map is light, so contours there are dark.
  constexpr double light_colours_from = 0.7;
  return values.place(value) < light_colours_from ? light : ink;
}

/// The distance in points of a value from the lower end of an axis: the centre of the pixel that it
/// falls into.
double place_on(Range range, double value, int length) {
  double const place = std::clamp(range.place(value), 0.0, 1.0);
  return std::min(std::floor(place * length), length - 1.0) + 0.5;
}

/// Draws the parts of a figure on a Paper.
class Drawing {
 public:
  Drawing(Layout const& layout, Range values, PictureOptions const& options)
      : layout_(layout),
        values_(values),
        options_(options),
        levels_(contour_levels(values, layout.bar_ticks, options.look.contours)),
        paper_(options.format, layout.width, layout.height) {}

  /// Draws a slice with its contours, axes and caption.
  void panel(Panel const& panel, SliceSamples const& samples);
  /// Draws the colour bar with ticks, contour levels and the field's name.
  void colour_bar();
  /// Explains the colour that is not on the bar: that of NaN.
  void remark(std::string const& text);
  /// Draws the title above all panels.
  void title();
  /// Returns the bytes of the file.
  std::string finish() { return paper_.finish(options_.title); }

 private:
  /// Draws the colours of a slice, one per point of the picture.
  void field(Panel const& panel, SliceSamples const& samples);
  /// The colour of a pixel of a slice, counted from its upper left corner: that of the value; white
  /// for excluded points; grey where the material changes.
  [[nodiscard]] Colour colour_at(Panel const& panel, SliceSamples const& samples, int x,
                                 int y) const;
  /// Draws the contour lines of a slice.
  void contours(Panel const& panel, SliceSamples const& samples);
  /// Draws "z = 0.5", with the name in italics.
  void caption(Panel const& panel);
  /// Draws ticks, labels and name of the axis below a slice.
  void right_axis(Panel const& panel);
  /// Draws ticks, labels and name of the axis left of a slice.
  void up_axis(Panel const& panel);
  /// Draws the name of an axis.
  void axis_label(double x, double y, int axis, Paper::Align align);

  Layout const& layout_;
  Range values_;
  PictureOptions const& options_;
  std::vector<double> levels_;  ///< of the contours; empty: no contours
  Paper paper_;
};

void Drawing::panel(Panel const& panel, SliceSamples const& samples) {
  // From bottom to top: later parts cover earlier ones.
  field(panel, samples);
  contours(panel, samples);
  paper_.frame(panel.left, panel.top, panel.width, panel.height, ink);
  right_axis(panel);
  up_axis(panel);
  caption(panel);
}

Colour Drawing::colour_at(Panel const& panel, SliceSamples const& samples, int x, int y) const {
  // Pixel rows count downwards, coordinates upwards. Values are taken at the centres of pixels.
  auto const up_of = [&](int row) { return 1.0 - (row + 0.5) / panel.height; };
  auto const right_of = [&](int column) { return (column + 0.5) / panel.width; };
  int const material = samples.material_at(right_of(x), up_of(y));
  bool const differs_from_left =
      x > 0 && samples.material_at(right_of(x - 1), up_of(y)) != material;
  bool const differs_from_above =
      y > 0 && samples.material_at(right_of(x), up_of(y - 1)) != material;
  if (differs_from_left || differs_from_above) return outline;
  if (material == SliceSamples::excluded) return light;
  return colour_of(values_.place(samples.at(right_of(x), up_of(y))));
}

void Drawing::field(Panel const& panel, SliceSamples const& samples) {
  std::vector<Colour> points;
  for (int y = 0; y < panel.height; ++y) {
    for (int x = 0; x < panel.width; ++x) points.push_back(colour_at(panel, samples, x, y));
  }
  paper_.image(panel.left, panel.top, panel.width, panel.height, points);
}

void Drawing::contours(Panel const& panel, SliceSamples const& samples) {
  for (Contours const& one : contours_of(samples, panel, levels_)) {
    for (Contour const& line : one.lines) {
      std::vector<Paper::Place> places;
      for (SlicePlace const place : line.places) {
        // From (0 … 1)², upwards, to the canvas, downwards.
        places.push_back(
            {panel.left + place.right * panel.width, panel.top + (1.0 - place.up) * panel.height});
      }
      paper_.line(places, line.closed ? Paper::Ends::closed : Paper::Ends::open, contour_thickness,
                  contour_colour(values_, one.level));
    }
  }
}

void Drawing::axis_label(double x, double y, int axis, Paper::Align align) {
  paper_.text({x, y}, std::string(1, axis_name(axis)), axis_font, ink, align);
}

void Drawing::caption(Panel const& panel) {
  if (panel.caption_value.empty()) {
    return;
  }
  std::string const axis(1, axis_name(panel.slice.normal));
  std::string const value = " = " + label_of({0.0, panel.caption_value}, paper_);
  double const axis_width = paper_.width_of(axis, axis_font);
  double const width = axis_width + paper_.width_of(value, label_font);
  // Name and value have different fonts, so they are drawn as two texts and centred together.
  double const left = panel.left + 0.5 * (panel.width - width);
  double const y = panel.top - gap / 2.0 - line_height / 2.0;
  axis_label(left, y, panel.slice.normal, Paper::Align::left);
  paper_.text({left + axis_width, y}, value, label_font, ink);
}

void Drawing::up_axis(Panel const& panel) {
  double const edge = panel.left - 1.0 - tick_length;
  for (Tick const& tick : panel.up_ticks) {
    // Ticks lie at pixel centres, which keeps lines of thickness 1 sharp.
    double const y = panel.top + panel.height - place_on(panel.up, tick.value, panel.height);
    paper_.line({{edge, y}, {edge + tick_length, y}}, Paper::Ends::open, 1.0, ink);
    paper_.text({edge - tick_gap, y}, label_of(tick, paper_), label_font, ink, Paper::Align::right);
  }
  axis_label(edge - tick_gap - panel.up_labels_width - line_height / 2.0,
             panel.top + 0.5 * panel.height, panel.slice.up, Paper::Align::centre);
}

void Drawing::right_axis(Panel const& panel) {
  double const edge = panel.top + panel.height + 1.0;
  // The vertical centre of the labels.
  double const labels = edge + tick_length + tick_gap + line_height / 2.0 - 2.0;
  double free_from = 0.0;  // labels that would touch the previous one are omitted
  for (Tick const& tick : panel.right_ticks) {
    double const x = panel.left + place_on(panel.right, tick.value, panel.width);
    std::string const label = label_of(tick, paper_);
    double const half = 0.5 * paper_.width_of(label, label_font);
    paper_.line({{x, edge}, {x, edge + tick_length}}, Paper::Ends::open, 1.0, ink);
    // Labels are as wide as their numbers, so two long ones may collide.
    if (x - half >= free_from) {
      paper_.text({x, labels}, label, label_font, ink, Paper::Align::centre);
      free_from = x + half + gap / 2.0;
    }
  }
  axis_label(panel.left + 0.5 * panel.width, labels + line_height, panel.slice.right,
             Paper::Align::centre);
}

void Drawing::colour_bar() {
  int const left = layout_.bar_left;
  int const top = layout_.bar_top;
  int const height = layout_.bar_height;
  std::vector<Colour> points;
  for (int y = 0; y < height; ++y) {
    // A constant field has one colour, that of the middle of the map.
    double const place = values_.upper > values_.lower ? 1.0 - (y + 0.5) / height : 0.5;
    points.insert(points.end(), bar_width, colour_of(place));
  }
  paper_.image(left, top, bar_width, height, points);
  // The levels of the contours are also marked on the bar.
  for (double const level : levels_) {
    double const y = top + height - place_on(values_, level, height);
    paper_.line({{left + 0.0, y}, {left + 0.0 + bar_width, y}}, Paper::Ends::open,
                contour_thickness, contour_colour(values_, level));
  }
  paper_.frame(left, top, bar_width, height, ink);
  double const edge = left + bar_width + 1.0;
  for (Tick const& tick : layout_.bar_ticks) {
    double const y = top + height - place_on(values_, tick.value, height);
    paper_.line({{edge, y}, {edge + tick_length, y}}, Paper::Ends::open, 1.0, ink);
    paper_.text({edge + tick_length + tick_gap, y}, label_of(tick, paper_), label_font, ink);
  }
  paper_.text({left + 0.5 * bar_width, top - gap / 2.0 - line_height / 2.0 + 2.0}, options_.field,
              axis_font, ink, Paper::Align::centre);
}

void Drawing::remark(std::string const& text) {
  int const top = layout_.bar_top + layout_.bar_height + gap;
  // A square in that colour, below the bar, and the text next to it.
  paper_.fill(layout_.bar_left, top, bar_width, bar_width, colour_of(std::nan("")));
  paper_.frame(layout_.bar_left, top, bar_width, bar_width, ink);
  paper_.text({layout_.bar_left + bar_width + 1.0 + tick_length + tick_gap, top + bar_width / 2.0},
              text, label_font, ink);
}

void Drawing::title() {
  paper_.text({0.5 * layout_.width, gap + 0.4 * line_height}, layout_.title, layout_.title_font,
              ink, Paper::Align::centre);
}

/// True if any sample that is not excluded is NaN.
bool has_no_number(std::vector<SliceSamples> const& samples) {
  return std::any_of(samples.begin(), samples.end(), [](SliceSamples const& slice) {
    for (std::size_t i = 0; i < slice.values.size(); ++i) {
      if (std::isnan(slice.values[i]) && !slice.is_excluded(i)) return true;
    }
    return false;
  });
}

}  // namespace

std::string drawn_figure(Grid const& grid, std::vector<SliceSamples> const& samples, Range values,
                         PictureOptions const& options) {
  // Explained only if the colour of NaN can be seen.
  std::string const remark = has_no_number(samples) ? "NaN" : "";
  // A sheet of one pixel suffices to measure the widths of texts.
  Paper const measure(PictureFormat::png, 1, 1);
  // The layout determines the size of the picture, which the drawing needs from the start.
  Layout const layout =
      arranged(measure, grid, slices_of(grid, options.look.planes), values, options.title, remark);
  Drawing drawing(layout, values, options);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    drawing.panel(layout.panels[i], samples[i]);
  }
  drawing.colour_bar();
  if (!remark.empty()) {
    drawing.remark(remark);
  }
  drawing.title();
  return drawing.finish();
}

}  // namespace isotherm
