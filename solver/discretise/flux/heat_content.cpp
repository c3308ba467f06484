#include "solver/discretise/flux/heat_content.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given/given_range.hpp"

namespace isotherm {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// Panels of a range of values, and the largest number that is integrated.
constexpr double panels_of_range = 16.0;
constexpr double panels_from_zero = 128.0;
constexpr int maximum_panels = 16384;

/// Returns the width of panels. Values far from 0 need fewer panels if their range is small.
double width_for(ValueRange const& range) {
  double const width =
      std::max(range.width() / panels_of_range, range.magnitude() / panels_from_zero);
  return width > 0.0 && std::isfinite(width) ? width : 1.0;
}

/// Returns the integral of a positive function over an interval; NaN if a value is not positive.
template <class Function>
double integral_over(Function const& function, double lower, double upper) {
  constexpr std::array places{-0.774596669241483377, 0.0, 0.774596669241483377};
  constexpr std::array weights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  double const middle = 0.5 * lower + 0.5 * upper, half = 0.5 * (upper - lower);
  double sum = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double const value = function(middle + places[i] * half);
    if (!(value > 0.0)) return not_a_number;
    sum += weights[i] * value;
  }
  return sum * (upper - lower);
}

}  // namespace

HeatContent::HeatContent(Problem const& problem)
    : grid_(&problem.grid), capacity_(&problem.medium.capacity) {
  if (depends_on_u()) width_ = width_for(given_range(problem));
}

double HeatContent::capacity(Index3 global, double u) const {
  return value_at(*capacity_, *grid_, global, 0.0, u);
}

double HeatContent::panel_begin(double u) const {
  double number = std::floor(u / width_);
  // The quotient may have been rounded up.
  if (number * width_ > u) --number;
  double const begin = number * width_;
  std::vector<double> const& breaks = capacity_->breaks_in_u;
  auto const next = std::upper_bound(breaks.begin(), breaks.end(), u);
  return next == breaks.begin() ? begin : std::max(begin, *std::prev(next));
}

double HeatContent::panel_end(double u) const {
  double number = std::floor(u / width_) + 1.0;
  // The quotient may have been rounded down.
  if (number * width_ <= u) ++number;
  double end = number * width_;
  std::vector<double> const& breaks = capacity_->breaks_in_u;
  auto const next = std::upper_bound(breaks.begin(), breaks.end(), u);
  if (next != breaks.end()) end = std::min(end, *next);
  return end;
}

double HeatContent::between(Index3 global, double from, double to) const {
  if (!depends_on_u()) return capacity(global, 0.0) * (to - from);
  double const lower = std::min(from, to), upper = std::max(from, to);
  if (!(upper - lower < maximum_panels * width_)) return not_a_number;
  auto const [x, y, z] = coordinates(*grid_, global);
  auto const at = [&, x = x, y = y, z = z](double u) { return (*capacity_)(x, y, z, u); };
  // Each panel is integrated from its begin, so H does not depend on where an integral starts.
  double u = panel_begin(lower);
  double sum = -integral_over(at, u, lower);
  while (u < upper) {
    double const end = std::min(panel_end(u), upper);
    sum += integral_over(at, u, end);
    u = end;
  }
  return to < from ? -sum : sum;
}

bool counts_heat_from_zero(Problem const& problem) {
  HeatContent const content(problem);
  if (!content.depends_on_u()) return true;
  ValueRange const range = given_range(problem);
  bool counts = true;
  for_each_sample(problem.grid, [&](Index3 point) {
    for (double const u : {range.smallest, range.largest}) {
      counts = counts && std::isfinite(content.between(point, 0.0, u)) &&
               std::isfinite(content.capacity(point, 0.0));
    }
  });
  return counts;
}

}  // namespace isotherm
