#include "io/picture/figure/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace isotherm {
namespace {

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least `step`. A relative
/// tolerance of 10⁻⁹ allows for rounding.
double round_step(double step) {
  double const power = std::pow(10.0, std::floor(std::log10(step)));
  for (double const factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10.0 * power;
}

/// Returns the label of a tick: with an exponent if the largest value of the axis is 10⁵ or more,
/// or below 10⁻³.
std::string label_of(double value, double step, double largest) {
  // Powers of ten of the step and of the largest value determine the digits; the addition of 10⁻⁹
  // allows for rounding of the logarithm.
  int const step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  int const exponent = static_cast<int>(std::floor(std::log10(std::max(largest, step)) + 1e-9));
  if (std::abs(value) < 1e-6 * step) {  // 0, except for rounding
    return "0";
  }
  // Scientific notation with as many digits as the step needs relative to the largest value.
  if (exponent > 4 || exponent < -3) {
    return fmt::format("{:.{}e}", value, std::max(0, exponent - step_exponent));
  }
  return fmt::format("{:.{}f}", value, std::max(0, -step_exponent));
}

}  // namespace

std::vector<Tick> ticks_between(double lower, double upper, int wanted) {
  double const step = round_step((upper - lower) / std::max(1, wanted));
  // No steps between equal values, nor if the step is below the rounding of the values.
  if (!(upper > lower) || !std::isnormal(step) || lower + step == lower) {
    return {{lower, fmt::format("{:.4g}", lower)}};
  }
  double const largest = std::max(std::abs(lower), std::abs(upper));
  std::vector<Tick> ticks;
  // Multiples of the step are computed from integers, so errors do not accumulate. The tolerance
  // includes ends that miss a multiple by rounding only.
  auto const last = static_cast<std::int64_t>(std::floor(upper / step + 1e-6));
  for (auto i = static_cast<std::int64_t>(std::ceil(lower / step - 1e-6)); i <= last; ++i) {
    double const value = static_cast<double>(i) * step;
    ticks.push_back({value, label_of(value, step, largest)});
  }
  // No multiple of a step as long as the interval may lie in it: 0.1 for 0.025 to 0.08.
  return ticks.empty() ? ticks_between(lower, upper, 2 * std::max(1, wanted)) : ticks;
}

}  // namespace isotherm
