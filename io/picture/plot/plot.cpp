#include "io/picture/plot/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "io/picture/figure/labels.hpp"
#include "io/picture/plot/plot_axis.hpp"
#include "io/picture/plot/plot_canvas.hpp"

namespace isotherm {
namespace {

/// Sizes of a plot in pixels.
struct PlotSizes {
  int width;
  int height;
  double font;
  double curve;  ///< thickness
};
constexpr PlotSizes sizes_of_file{960, 600, 17.0, 2.0};
constexpr PlotSizes sizes_in_page{760, 380, 13.0, 1.8};

constexpr int margin = 16;
constexpr int tick_length = 5;
constexpr std::size_t max_label_letters = 48;

int rounded_up(double length) { return static_cast<int>(std::ceil(length)); }

/// Returns a label of limited length.
std::string short_label(std::string const& label) {
  return shortened(drawable(label), max_label_letters);
}

/// Returns the width of the widest of some texts.
double widest(std::vector<std::string> const& texts, double font) {
  double width = 0.0;
  for (std::string const& text : texts) width = std::max(width, estimated_width(text, font));
  return width;
}

/// Thins a curve to at most four of each `points / max_parts` consecutive points: the first one,
/// the minimum, the maximum, and a gap.
PlotCurve thinned(PlotCurve const& curve, bool is_logarithmic) {
  constexpr std::size_t max_parts = 2000;
  std::size_t const count = curve.x.size();
  std::size_t const part = (count + max_parts - 1) / max_parts;
  if (part <= 4) return curve;
  PlotCurve thin{curve.label, {}, {}};
  for (std::size_t first = 0; first < count; first += part) {
    std::size_t const end = std::min(first + part, count);
    std::vector<std::size_t> kept{first, first, first, first};
    for (std::size_t i = first; i < end; ++i) {
      if (!can_show(curve.y[i], is_logarithmic)) {
        kept[3] = i;
        continue;
      }
      if (!(curve.y[i] >= curve.y[kept[1]])) kept[1] = i;
      if (!(curve.y[i] <= curve.y[kept[2]])) kept[2] = i;
    }
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (std::size_t const i : kept) {
      thin.x.push_back(curve.x[i]);
      thin.y.push_back(curve.y[i]);
    }
  }
  return thin;
}

/// Draws a plot on a canvas.
class PlotDrawing {
 public:
  PlotDrawing(Plot const& plot, PlotSizes sizes, PlotCanvas& canvas)
      : plot_(plot),
        sizes_(sizes),
        canvas_(canvas),
        x_(values(&PlotCurve::x), plot.x, 8, false),
        y_(values(&PlotCurve::y), plot.y, 7, true) {
    arrange();
  }

  /// Draws everything, from back to front.
  void draw() {
    title();
    horizontal_axis();
    vertical_axis();
    frame();
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) curve(i);
    if (has_legend()) legend();
  }

 private:
  /// Returns the coordinates of all curves.
  [[nodiscard]] std::vector<std::vector<double> const*> values(
      std::vector<double> PlotCurve::*coordinate) const {
    std::vector<std::vector<double> const*> all;
    for (PlotCurve const& curve : plot_.curves) all.push_back(&(curve.*coordinate));
    return all;
  }

  [[nodiscard]] bool has_legend() const { return plot_.curves.size() > 1; }
  [[nodiscard]] int line_height() const { return rounded_up(1.5 * sizes_.font); }

  /// Determines the frame.
  void arrange() {
    std::vector<std::string> labels;
    for (Tick const& tick : y_.ticks()) labels.push_back(typeset_tick(tick.label));
    left_ = 2 * margin + rounded_up(widest(labels, sizes_.font));
    top_ = margin + line_height() * (plot_.title.empty() ? 1 : 2);
    bottom_ = sizes_.height - margin - 2 * line_height();
    right_ = sizes_.width - 2 * margin;
    if (!has_legend()) return;
    std::vector<std::string> names;
    for (PlotCurve const& curve : plot_.curves) names.push_back(short_label(curve.label));
    constexpr double max_share = 0.4;  // of the width
    double const width = std::min(widest(names, sizes_.font), max_share * sizes_.width);
    right_ -= rounded_up(width) + sample_length + margin;
  }

  [[nodiscard]] double x_of(double place) const { return left_ + place * (right_ - left_); }
  [[nodiscard]] double y_of(double place) const { return bottom_ - place * (bottom_ - top_); }

  /// Returns the tone of a curve.
  [[nodiscard]] Tone tone_of(std::size_t index) const {
    Tone tone{Tone::Role::series, index};
    if (plot_.is_family) {
      std::size_t const last = std::max<std::size_t>(plot_.curves.size() - 1, 1);
      tone.share = static_cast<double>(index) / static_cast<double>(last);
    }
    return tone;
  }

  void title() {
    if (plot_.title.empty()) return;
    canvas_.text({0.5 * sizes_.width, margin + 0.4 * line_height()}, short_label(plot_.title), {},
                 Paper::Align::centre);
  }

  void frame() {
    double const left = left_;
    double const top = top_;
    double const right = right_;
    double const bottom = bottom_;
    canvas_.line({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}, 1.0,
                 {});
  }

  /// Draws the ticks, grid lines, labels and name of the axis below the frame.
  void horizontal_axis() {
    double free_from = 0.0;  // labels that would touch the previous one are omitted
    double const y = bottom_ + tick_length + 0.6 * line_height();
    for (Tick const& tick : x_.ticks()) {
      double const x = std::floor(x_of(x_.place(tick.value).value_or(0.0))) + 0.5;
      std::string const label = typeset_tick(tick.label);
      double const half = 0.5 * estimated_width(label, sizes_.font);
      canvas_.line({{x, top_ + 0.0}, {x, bottom_ + 0.0}}, 1.0, {Tone::Role::grid});
      canvas_.line({{x, bottom_ + 0.0}, {x, bottom_ + 0.0 + tick_length}}, 1.0, {});
      if (x - half < free_from) continue;
      canvas_.text({x, y}, label, {}, Paper::Align::centre);
      free_from = x + half + 0.5 * margin;
    }
    canvas_.text({0.5 * (left_ + right_), y + line_height()}, short_label(plot_.x.label), {},
                 Paper::Align::centre);
  }

  /// Draws those of the axis to the left. Its name is above it, so it need not be turned.
  void vertical_axis() {
    for (Tick const& tick : y_.ticks()) {
      double const y = std::floor(y_of(y_.place(tick.value).value_or(0.0))) + 0.5;
      canvas_.line({{left_ + 0.0, y}, {right_ + 0.0, y}}, 1.0, {Tone::Role::grid});
      canvas_.line({{left_ - 0.0 - tick_length, y}, {left_ + 0.0, y}}, 1.0, {});
      canvas_.text({left_ - 1.6 * tick_length, y}, typeset_tick(tick.label), {},
                   Paper::Align::right);
    }
    canvas_.text({margin + 0.0, top_ - 0.55 * line_height()}, short_label(plot_.y.label), {},
                 Paper::Align::left);
  }

  /// Draws a curve, with dots if it has few points or a point has no neighbours.
  void curve(std::size_t index) {
    constexpr std::size_t few = 40;
    PlotCurve const thin = thinned(plot_.curves[index], plot_.y.is_logarithmic);
    bool const has_dots = thin.x.size() <= few;
    std::vector<Paper::Place> places;
    auto const end_line = [&] {
      if (places.size() > 1) canvas_.line(places, sizes_.curve, tone_of(index));
      if (has_dots || places.size() == 1) {
        for (Paper::Place const place : places) canvas_.dot(place, tone_of(index));
      }
      places.clear();
    };
    for (std::size_t i = 0; i < thin.x.size(); ++i) {
      auto const x = x_.place(thin.x[i]);
      auto const y = y_.place(thin.y[i]);
      if (x && y) places.push_back({x_of(*x), y_of(*y)});
      if (!x || !y) end_line();
    }
    end_line();
  }

  void legend() {
    double const left = right_ + 0.75 * margin;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      double const y = top_ + (static_cast<double>(i) + 0.5) * line_height();
      canvas_.line({{left, y}, {left + sample_length, y}}, 1.5 * sizes_.curve, tone_of(i));
      canvas_.text({left + sample_length + 0.5 * margin, y}, short_label(plot_.curves[i].label), {},
                   Paper::Align::left);
    }
  }

  static constexpr int sample_length = 24;  ///< of a line in the legend

  Plot const& plot_;
  PlotSizes sizes_;
  PlotCanvas& canvas_;
  PlotScale x_, y_;
  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;  ///< the frame
};

/// Sizes of a bar chart in pixels.
constexpr int bar_distance = 30;
constexpr int bar_height = 20;
constexpr int bar_chart_width = 960;

/// Returns the largest value that has a bar.
double largest_of(std::vector<Bar> const& bars) {
  double largest = 0.0;
  for (Bar const& bar : bars) {
    if (std::isfinite(bar.value)) largest = std::max(largest, bar.value);
  }
  return largest;
}

/// Returns the value at the end of a bar.
std::string value_of(Bar const& bar) {
  return std::isfinite(bar.value) ? fmt::format("{:.4g}", bar.value) : "no value";
}

/// Draws the names of the colours, next to each other below the title.
void draw_series(PaperCanvas& canvas, BarChart const& chart, int top, double font) {
  double left = margin;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    std::string const name = short_label(chart.series[i]);
    canvas.fill(static_cast<int>(left), top + 4, 14, 14, {Tone::Role::series, i});
    canvas.text({left + 22.0, top + 11.0}, name, {}, Paper::Align::left);
    left += 22.0 + estimated_width(name, font) + 2.0 * margin;
  }
}

}  // namespace

bool has_points(Plot const& plot) {
  return std::ranges::any_of(plot.curves, [&](PlotCurve const& curve) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (can_show(curve.x[i], plot.x.is_logarithmic) &&
          can_show(curve.y[i], plot.y.is_logarithmic)) {
        return true;
      }
    }
    return false;
  });
}

std::string draw_plot(Plot const& plot, PictureFormat format, std::optional<int> width) {
  double const pixels = width ? static_cast<double>(*width) / sizes_of_file.width : 1.0;
  PaperCanvas canvas(format, sizes_of_file.width, sizes_of_file.height, sizes_of_file.font, pixels);
  PlotDrawing(plot, sizes_of_file, canvas).draw();
  return canvas.finish(plot.title);
}

std::string inline_plot(Plot const& plot) {
  InlineCanvas canvas(sizes_in_page.width, sizes_in_page.height);
  PlotDrawing(plot, sizes_in_page, canvas).draw();
  return canvas.finish(plot.title.empty() ? plot.y.label : plot.title);
}

std::string draw_bars(BarChart const& chart, PictureFormat format) {
  constexpr double font = 16.0;
  constexpr int value_width = 100;
  bool const has_series = chart.series.size() > 1;
  int const top = margin + bar_distance * (has_series ? 3 : 2);
  int const height = top + bar_distance * static_cast<int>(chart.bars.size()) + margin;
  std::vector<std::string> labels;
  for (Bar const& bar : chart.bars) labels.push_back(short_label(bar.label));
  constexpr double max_share = 0.5;  // of the width
  int const left =
      2 * margin + rounded_up(std::min(widest(labels, font), max_share * bar_chart_width));
  int const longest = bar_chart_width - left - value_width - margin;

  PaperCanvas canvas(format, bar_chart_width, height, font);
  canvas.text({0.5 * bar_chart_width, margin + 8.0}, short_label(chart.title), {},
              Paper::Align::centre);
  canvas.text({left + 0.0, margin + bar_distance + 8.0}, short_label(chart.value_label), {},
              Paper::Align::left);
  if (has_series) draw_series(canvas, chart, margin + 2 * bar_distance - 6, font);
  double const largest = largest_of(chart.bars);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    Bar const& bar = chart.bars[i];
    int const y = top + bar_distance * static_cast<int>(i);
    double const middle = y + 0.5 * bar_height;
    bool const has_bar = std::isfinite(bar.value) && bar.value > 0.0;
    int const length = has_bar ? std::max(1, static_cast<int>(bar.value / largest * longest)) : 0;
    canvas.text({left - 0.5 * margin, middle}, labels[i], {}, Paper::Align::right);
    if (has_bar) canvas.fill(left, y, length, bar_height, {Tone::Role::series, bar.series});
    canvas.text({left + length + 0.5 * margin, middle}, value_of(bar), {}, Paper::Align::left);
  }
  return canvas.finish(chart.title);
}

}  // namespace isotherm
