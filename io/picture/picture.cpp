#include "io/picture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "decomposition/ranks/together.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/canvas.hpp"
#include "io/picture/slice_sampling.hpp"
#include "io/picture/ticks.hpp"

namespace isotherm {
namespace {

constexpr Colour paper{255, 255, 255};
constexpr Colour ink{40, 40, 48};
constexpr int gap = 16;  // between parts of the picture
constexpr int tick_length = 6;
constexpr int tick_gap = 4;  // between a tick and its label
constexpr int bar_width = 22;
constexpr int smallest_side = 24;  // of a panel, however thin the domain is
constexpr std::int64_t sample_limit = 720;

char axis_name(int axis) { return static_cast<char>('x' + axis); }

struct Range {
  double lower = 0.0;
  double upper = 1.0;

  /// 0 … 1; the middle where all values are equal.
  [[nodiscard]] double place(double value) const {
    return upper > lower ? (value - lower) / (upper - lower) : std::isnan(value) ? value : 0.5;
  }
};

/// Of the finite values. Collective.
template <class Real>
Range range_of(mpi::Communicator const& ranks, Subdomain const& subdomain, Real const* owned) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range range{infinity, -infinity};
  for (std::int64_t i = 0; i < subdomain.owned().point_count(); ++i) {
    auto const value = static_cast<double>(owned[i]);
    if (std::isfinite(value)) {
      range.lower = std::min(range.lower, value);
      range.upper = std::max(range.upper, value);
    }
  }
  range = {ranks.min(range.lower), ranks.max(range.upper)};
  return range.lower <= range.upper ? range : Range{};
}

Range axis_range(Grid const& grid, int axis) {
  return {grid.coordinate(axis, 0), grid.coordinate(axis, grid.points[axis] - 1)};
}

double length_of(Grid const& grid, int axis) {
  double const points = static_cast<double>(std::max<std::int64_t>(grid.points[axis] - 1, 1));
  return points * grid.spacing[static_cast<std::size_t>(axis)];
}

/// Ticks for so many points of the picture, few enough for their labels to stand apart.
std::vector<Tick> axis_ticks(Range range, int points, int points_a_label) {
  return ticks_between(range.lower, range.upper, std::clamp(points / points_a_label, 1, 6));
}

int widest_label(std::vector<Tick> const& ticks) {
  int widest = 0;
  for (Tick const& tick : ticks) {
    widest = std::max(widest, Canvas::text_width(tick.label));
  }
  return widest;
}

/// One slice with its axes.
struct Panel {
  Slice slice;
  std::string caption;  ///< above it; empty: none
  Range right, up;      ///< coordinates
  int width = 0;
  int height = 0;
  int left = 0;  ///< place of the slice's upper left corner
  int top = 0;

  [[nodiscard]] std::vector<Tick> up_ticks() const { return axis_ticks(up, height, 45); }
  [[nodiscard]] std::vector<Tick> right_ticks() const { return axis_ticks(right, width, 80); }
  /// Space that labels take left of and below the slice.
  [[nodiscard]] int left_margin() const {
    return widest_label(up_ticks()) + tick_length + tick_gap + Canvas::text_width("y") + gap;
  }
  static int bottom_margin() { return tick_length + tick_gap + 2 * Canvas::text_height() + gap; }
  static int right_margin() { return 2 * gap; }
};

/// Panels with the domain's proportions, all to the same scale.
std::vector<Panel> sized_panels(Grid const& grid) {
  double const space = grid.dimension == 2 ? 720 : 1200;
  double const highest = grid.dimension == 2 ? 720 : 420;
  double widths = 0.0;
  double height = 0.0;
  std::vector<Panel> panels;
  for (Slice const slice : slices_of(grid)) {
    panels.push_back({slice, "", axis_range(grid, slice.right), axis_range(grid, slice.up)});
    widths += length_of(grid, slice.right);
    height = std::max(height, length_of(grid, slice.up));
  }
  double const scale = std::min(space / widths, highest / height);
  for (Panel& panel : panels) {
    auto const side = [&](int axis) {
      return std::max(smallest_side, static_cast<int>(std::lround(scale * length_of(grid, axis))));
    };
    panel.width = side(panel.slice.right);
    panel.height = side(panel.slice.up);
    if (panels.size() > 1) {
      panel.caption = fmt::format("{} = {:.4g}", axis_name(panel.slice.normal),
                                  grid.coordinate(panel.slice.normal, panel.slice.index));
    }
  }
  return panels;
}

/// Where everything is.
struct Layout {
  std::vector<Panel> panels;
  int bar_left = 0;
  int bar_top = 0;
  int bar_height = 0;
  int width = 0;
  int height = 0;
  int title_scale = 2;
};

int caption_height(Panel const& panel) {
  return panel.caption.empty() ? 0 : Canvas::text_height() + gap;
}

Layout arrange(std::vector<Panel> panels, Range values, std::string const& title) {
  Layout layout;
  int left = gap;
  int const top = 2 * gap + Canvas::text_height() + caption_height(panels.front());
  for (Panel& panel : panels) {
    panel.left = left + panel.left_margin();
    panel.top = top;
    left = panel.left + panel.width + Panel::right_margin();
    layout.bar_height = std::max(layout.bar_height, panel.height);
  }
  for (Panel& panel : panels) {  // on one base line
    panel.top += layout.bar_height - panel.height;
  }
  layout.panels = std::move(panels);
  layout.bar_left = left;
  layout.bar_top = top;
  layout.height = top + layout.bar_height + Panel::bottom_margin();
  int const labels = widest_label(axis_ticks(values, layout.bar_height, 45));
  int const needed = left + bar_width + tick_length + tick_gap + labels + gap;
  layout.title_scale = Canvas::text_width(title) > std::max(needed, 1200) ? 1 : 2;
  layout.width = std::max(needed, Canvas::text_width(title, layout.title_scale) + 2 * gap);
  return layout;
}

void draw_values(Canvas& canvas, Panel const& panel, Samples const& samples, Range values) {
  for (int y = 0; y < panel.height; ++y) {
    double const up = 1.0 - (y + 0.5) / panel.height;
    for (int x = 0; x < panel.width; ++x) {
      double const right = (x + 0.5) / panel.width;
      canvas.set(panel.left + x, panel.top + y, colour_of(values.place(samples.at(right, up))));
    }
  }
}

int place_on(Range range, double value, int length) {
  double const place = std::clamp(range.place(value), 0.0, 1.0);
  return std::min(static_cast<int>(place * length), length - 1);
}

void draw_up_axis(Canvas& canvas, Panel const& panel) {
  int const edge = panel.left - 1 - tick_length;
  for (Tick const& tick : panel.up_ticks()) {
    int const y = panel.top + panel.height - 1 - place_on(panel.up, tick.value, panel.height);
    canvas.fill(edge, y, tick_length, 1, ink);
    canvas.text(edge - tick_gap, y - Canvas::text_height() / 2, tick.label, ink,
                Canvas::Align::right);
  }
  canvas.text(panel.left - panel.left_margin() + tick_gap,
              panel.top + panel.height / 2 - Canvas::text_height() / 2,
              std::string(1, axis_name(panel.slice.up)), ink);
}

void draw_right_axis(Canvas& canvas, Panel const& panel) {
  int const edge = panel.top + panel.height + 1;
  int const labels = edge + tick_length + tick_gap;
  int free_from = 0;  // labels that would touch the one before are left out
  for (Tick const& tick : panel.right_ticks()) {
    int const x = panel.left + place_on(panel.right, tick.value, panel.width);
    int const half = Canvas::text_width(tick.label) / 2;
    canvas.fill(x, edge, 1, tick_length, ink);
    if (x - half >= free_from) {
      canvas.text(x, labels, tick.label, ink, Canvas::Align::centre);
      free_from = x + half + tick_gap;
    }
  }
  canvas.text(panel.left + panel.width / 2, labels + Canvas::text_height() + tick_gap,
              std::string(1, axis_name(panel.slice.right)), ink, Canvas::Align::centre);
}

void draw_panel(Canvas& canvas, Panel const& panel, Samples const& samples, Range values) {
  draw_values(canvas, panel, samples, values);
  canvas.frame(panel.left, panel.top, panel.width, panel.height, ink);
  draw_up_axis(canvas, panel);
  draw_right_axis(canvas, panel);
  canvas.text(panel.left + panel.width / 2, panel.top - caption_height(panel) + gap / 4,
              panel.caption, ink, Canvas::Align::centre);
}

void draw_colour_bar(Canvas& canvas, Layout const& layout, Range values) {
  for (int y = 0; y < layout.bar_height; ++y) {
    double const place = 1.0 - (y + 0.5) / layout.bar_height;
    canvas.fill(layout.bar_left, layout.bar_top + y, bar_width, 1,
                colour_of(values.upper > values.lower ? place : 0.5));
  }
  canvas.frame(layout.bar_left, layout.bar_top, bar_width, layout.bar_height, ink);
  int const edge = layout.bar_left + bar_width + 1;
  for (Tick const& tick : axis_ticks(values, layout.bar_height, 45)) {
    int const y =
        layout.bar_top + layout.bar_height - 1 - place_on(values, tick.value, layout.bar_height);
    canvas.fill(edge, y, tick_length, 1, ink);
    canvas.text(edge + tick_length + tick_gap, y - Canvas::text_height() / 2, tick.label, ink);
  }
}

std::string draw(Grid const& grid, std::vector<Samples> const& samples, Range values,
                 std::string const& title) {
  Layout const layout = arrange(sized_panels(grid), values, title);
  Canvas canvas(layout.width, layout.height, paper);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    draw_panel(canvas, layout.panels[i], samples[i], values);
  }
  draw_colour_bar(canvas, layout, values);
  canvas.text(layout.width / 2, gap, title, ink, Canvas::Align::centre, layout.title_scale);
  return canvas.png();
}

}  // namespace

template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, std::string const& title) {
  Grid const& grid = subdomain.grid();
  Range const values = range_of(ranks, subdomain, owned);
  auto const samples = sample(ranks, subdomain, slices_of(grid), sample_limit, owned);
  on_root(ranks, [&] { write_file_atomically(path, draw(grid, samples, values, title)); });
}

template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, float const*, std::string const&);
template void write_picture(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, double const*, std::string const&);

}  // namespace isotherm
