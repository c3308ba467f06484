#include "io/picture/plot/plot_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "io/picture/figure/labels.hpp"

namespace isotherm {
namespace {

/// Returns the smallest and the largest value that an axis can show; 1 … 1 if there is none.
Range range_of_values(std::vector<std::vector<double> const*> const& values, bool is_logarithmic) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range range{infinity, -infinity};
  for (std::vector<double> const* const some : values) {
    for (double const value : *some) {
      if (!can_show(value, is_logarithmic)) continue;
      range.lower = std::min(range.lower, value);
      range.upper = std::max(range.upper, value);
    }
  }
  return range.lower <= range.upper ? range : Range{1.0, 1.0};
}

/// Returns the range with margins; a range of one value becomes one around it.
Range widened(Range range, bool has_margins) {
  constexpr double share = 0.05;
  double margin = has_margins ? share * (range.upper - range.lower) : 0.0;
  if (range.lower == range.upper) {
    margin = range.lower == 0.0 ? 1.0 : share * std::abs(range.lower);
  }
  Range const wider{range.lower - margin, range.upper + margin};
  return std::isfinite(wider.lower) && std::isfinite(wider.upper) ? wider : range;
}

/// Returns the label of factor · 10^exponent: "0.02", "200" or "2e-07".
std::string label_of_power(int factor, int exponent) {
  constexpr int plain = 3;  // exponents up to which numbers are written without a power
  double const value = factor * std::pow(10.0, exponent);
  if (std::abs(exponent) <= plain) return fmt::format("{:.{}f}", value, std::max(0, -exponent));
  return fmt::format("{}e{:+03d}", factor, exponent);
}

/// Adds the first and the last whole multiple of a power of ten in a range, such as 0.3 and 4, if
/// they are far enough from the ticks. They show where a short axis ends.
void add_ends(std::vector<Tick>& ticks, double lower, double upper) {
  constexpr double min_share = 0.1;  // of the axis, between two ticks
  double const gap = min_share * std::log10(upper / lower);
  int const power_below = static_cast<int>(std::floor(std::log10(lower)));
  int const power_above = static_cast<int>(std::floor(std::log10(upper)));
  int const first = static_cast<int>(std::ceil(lower / std::pow(10.0, power_below) * (1 - 1e-9)));
  int const last = static_cast<int>(std::floor(upper / std::pow(10.0, power_above) * (1 + 1e-9)));
  double const begin = first * std::pow(10.0, power_below);
  double const end = last * std::pow(10.0, power_above);
  if (std::log10(ticks.front().value / begin) >= gap) {
    ticks.insert(ticks.begin(), {begin, label_of_power(first, power_below)});
  }
  if (std::log10(end / ticks.back().value) >= gap) {
    ticks.push_back({end, label_of_power(last, power_above)});
  }
}

}  // namespace

bool can_show(double value, bool is_logarithmic) {
  return std::isfinite(value) && (!is_logarithmic || value > 0.0);
}

std::vector<Tick> logarithmic_ticks(double lower, double upper, int wanted) {
  int const first = static_cast<int>(std::floor(std::log10(lower)));
  int const last = static_cast<int>(std::ceil(std::log10(upper)));
  // From wide to narrow: every nth power, every power, and with the factors 2 and 5.
  int const stride = std::max(1, (last - first + wanted - 1) / std::max(1, wanted));
  std::vector<int> factors{1};
  constexpr double few_decades = 2.0;
  if (std::log10(upper) - std::log10(lower) <= few_decades) factors = {1, 2, 5};
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0) continue;
    for (int const factor : factors) {
      double const value = factor * std::pow(10.0, exponent);
      if (value < lower * (1 - 1e-9) || value > upper * (1 + 1e-9)) continue;
      ticks.push_back({value, label_of_power(factor, exponent)});
    }
  }
  // Within a decade there may be less than two; then ticks are evenly spaced.
  if (ticks.size() < 2) return ticks_between(lower, upper, std::min(wanted, 4));
  if (factors.size() > 1) add_ends(ticks, lower, upper);
  return ticks;
}

std::string typeset_tick(std::string const& label) {
  constexpr std::string_view one = "1×";
  std::string const text = typeset_number(label);
  return text.starts_with(one) ? text.substr(one.size()) : text;
}

PlotScale::PlotScale(std::vector<std::vector<double> const*> const& values, PlotAxis const& axis,
                     int wanted, bool has_margins)
    : is_logarithmic_(axis.is_logarithmic) {
  Range const found = axis.ends ? *axis.ends : range_of_values(values, is_logarithmic_);
  range_ = widened({transformed(found.lower), transformed(found.upper)}, has_margins);
  if (!is_logarithmic_) {
    ticks_ = ticks_between(range_.lower, range_.upper, wanted);
    return;
  }
  // The margins of a logarithmic axis may reach beyond the smallest and the largest number.
  double const lower = std::max(std::pow(10.0, range_.lower), std::numeric_limits<double>::min());
  double const upper = std::min(std::pow(10.0, range_.upper), std::numeric_limits<double>::max());
  ticks_ = logarithmic_ticks(lower, std::max(lower, upper), wanted);
}

double PlotScale::transformed(double value) const {
  return is_logarithmic_ ? std::log10(value) : value;
}

std::optional<double> PlotScale::place(double value) const {
  if (!can_show(value, is_logarithmic_)) return std::nullopt;
  return std::clamp(range_.place(transformed(value)), 0.0, 1.0);
}

}  // namespace isotherm
