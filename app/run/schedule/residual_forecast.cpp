#include "app/run/schedule/residual_forecast.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm::app {

namespace {

constexpr std::size_t fewest = 4;  // minimum number of residuals in a fit
/// A fit of the newest third compares all pairs, approximately 14000.
constexpr std::size_t max_kept = 512;

/// Returns the median, or the upper one of the two middle values. O(n). @pre not empty
double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the Theil–Sen slope of log(residual) per iteration: the median slope of the lines
/// through all pairs of points (Theil, 1950; Sen, 1968). O(n²) in time and memory.
/// @pre iterations increase, and all residuals are positive
double slope_of(std::span<Residual const> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      Residual const &a = points[i], &b = points[j];
      slopes.push_back(std::log(b.value / a.value) /
                       static_cast<double>(b.iteration - a.iteration));
    }
  }
  return median(std::move(slopes));
}

/// Intercept of the line at iteration 0: the median of the intercepts through each point.
double height_of(std::span<Residual const> points, double slope) {
  std::vector<double> heights;
  for (Residual const& point : points) {
    heights.push_back(std::log(point.value) - slope * static_cast<double>(point.iteration));
  }
  return median(std::move(heights));
}

}  // namespace

/// Solves log(wanted) = height + slope · n for n. A residual of 0 has no logarithm, so it prevents
/// a forecast.
std::optional<double> forecast_iteration(std::span<Residual const> history, double wanted) {
  if (history.size() < fewest || wanted <= 0.0) {
    return std::nullopt;
  }
  auto const newest = history.last(std::max(fewest, history.size() / 3));
  bool const sound = std::all_of(newest.begin(), newest.end(),
                                 [](Residual const& one) { return one.value > 0.0; });
  double const slope = sound ? slope_of(newest) : 0.0;
  if (!(slope < 0.0)) {  // also if the slope is NaN
    return std::nullopt;
  }
  return (std::log(wanted) - height_of(newest, slope)) / slope;
}

void ResidualHistory::add(std::vector<Residual> const& residuals) {
  for (Residual const& one : residuals) {
    // A resumed run may measure its first residual again.
    if (!kept_.empty() && one.iteration <= kept_.back().iteration) continue;
    kept_.push_back(one);
    if (kept_.size() > max_kept) {
      // Dropping every second one keeps the history evenly spaced in a long run.
      std::size_t count = 0;
      std::erase_if(kept_, [&](Residual const&) { return count++ % 2 == 1; });
    }
  }
}

}  // namespace isotherm::app
