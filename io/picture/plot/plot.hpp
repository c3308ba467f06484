#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/picture/picture_format.hpp"
#include "io/picture/range.hpp"

// Plots of numbers: curves and bars. Pictures of fields are in io/picture/.

namespace isotherm {

/// An axis of a plot.
struct PlotAxis {
  std::string label{};  ///< the quantity and its unit, such as "time [s]"
  bool is_logarithmic = false;
  std::optional<Range> ends{};  ///< of a linear axis; none: those of the curves
};

/// A polygonal line through points. Points that are not finite, or not positive on a logarithmic
/// axis, interrupt it.
struct PlotCurve {
  std::string label;
  std::vector<double> x, y;  ///< equally many
};

/// Curves over a common axis.
///
///     Plot const plot{"Residuals", {"iteration"}, {"residual", true}, {{"a", {1, 2}, {1, 0.1}}}};
///     std::string const file = draw_plot(plot, PictureFormat::svg);
struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotCurve> curves;
  /// True: the curves are the members of an ordered family, such as moments in time. Their colours
  /// then run through a colour map.
  bool is_family = false;
};

/// A horizontal bar. Negative and infinite values, and NaN, have no bar.
struct Bar {
  std::string label;
  double value;
  std::size_t series = 0;  ///< determines the colour
};

/// Bars from top to bottom, all of one quantity.
struct BarChart {
  std::string title;
  std::string value_label;          ///< the quantity and its unit
  std::vector<std::string> series;  ///< the names of the colours
  std::vector<Bar> bars;
};

/// The maximum number of curves that a legend can list.
inline constexpr std::size_t max_curves = 20;
/// The maximum number of bars of a chart.
inline constexpr std::size_t max_bars = 100;

/// Returns whether any point of a curve can be drawn on the axes of the plot.
bool has_points(Plot const& plot);

/// Draws a plot: frame, grid lines at round values, curves, and a legend if there are several.
/// Curves of many points are thinned such that all extrema remain. Not collective.
/// @param width  of a PNG in pixels; nullopt: 960. Text and lines scale with it
/// @returns  the bytes of the file
/// @pre  has_points(plot), and at most max_curves curves
/// @throws Error  if Cairo fails
std::string draw_plot(Plot const& plot, PictureFormat format,
                      std::optional<int> width = std::nullopt);

/// Draws a plot as an `svg` element for an HTML page. Its texts are text, and its colours are those
/// of the page: the stylesheet sets them by the classes `ink`, `grid`, and `c0` to `c7`.
/// @pre  as for draw_plot()
std::string inline_plot(Plot const& plot);

/// Draws a bar chart.
/// @returns  the bytes of the file
/// @pre  at least one and at most max_bars bars
/// @throws Error  if Cairo fails
std::string draw_bars(BarChart const& chart, PictureFormat format);

}  // namespace isotherm
