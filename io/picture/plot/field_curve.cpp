#include "io/picture/plot/field_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace isotherm {

namespace {

/// Returns the values of a view along its axis; NaN at excluded points.
/// @param scale  of coordinates
PlotCurve curve_of(View const& view, double scale) {
  SliceSamples const& samples = view.samples;
  PlotCurve curve{view.name, {}, {}};
  for (std::int64_t column = 0; column < samples.columns; ++column) {
    auto const i = static_cast<std::size_t>(column);
    curve.x.push_back(
        scale * std::lerp(view.right.lower, view.right.upper, samples.place_of_column(column)));
    curve.y.push_back(samples.is_excluded(i) ? std::numeric_limits<double>::quiet_NaN()
                                             : samples.values[i]);
  }
  return curve;
}

}  // namespace

bool are_lines(std::vector<View> const& views) {
  return views.size() <= max_curves && std::ranges::all_of(views, [](View const& view) {
           return view.samples.rows == 1 && view.samples.columns > 1;
         });
}

Plot plot_of_lines(std::vector<View> const& views, Range values, PictureOptions const& options) {
  PictureLook const& look = options.look;
  Plot plot{options.title,
            {axis_label(views.front(), views.front().right_axis) +
             (look.length.name.empty() ? "" : ", " + look.length.name)},
            {look.label.empty() ? options.field : look.label, false, values},
            {}};
  for (View const& view : views) plot.curves.push_back(curve_of(view, look.length.scale));
  return plot;
}

std::string drawn_curves(std::vector<View> const& views, Range values,
                         PictureOptions const& options) {
  return draw_plot(plot_of_lines(views, values, options), options.format, options.look.width);
}

}  // namespace isotherm
