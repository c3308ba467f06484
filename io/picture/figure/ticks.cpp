#include "io/picture/figure/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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

/// True for 2.5 times a power of ten: of the steps, only these have two digits.
bool has_two_digits(double step) {
  double const digits = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  return std::abs(digits - 2.5) < 1e-6;
}

/// Returns the label of a tick: with an exponent if the largest value of the axis is 10⁵ or more,
/// or below 10⁻³.
std::string label_of(double value, double step, double largest) {
  // Powers of ten of the step and of the largest value determine the digits; the addition of 10⁻⁹
  // allows for rounding of the logarithm.
  int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (has_two_digits(step)) --step_exponent;
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

/// True if the step is too small to be resolved between these values, or if they are equal.
bool has_no_steps(double lower, double upper, double step) {
  return !(upper > lower) || !std::isnormal(step) || lower + step == lower;
}

/// The numbers of the first and the last multiple of a step in an interval. The tolerance includes
/// ends that miss a multiple by rounding only.
struct Multiples {
  std::int64_t first, last;

  Multiples(double lower, double upper, double step)
      : first(static_cast<std::int64_t>(std::ceil(lower / step - 1e-6))),
        last(static_cast<std::int64_t>(std::floor(upper / step + 1e-6))) {}

  /// The number of those that are not an end of the interval.
  [[nodiscard]] std::int64_t count_inside(double lower, double upper, double step) const {
    auto const is_at = [&](std::int64_t i, double end) {
      return std::abs(static_cast<double>(i) - end / step) <= 1e-6;
    };
    return last - first + 1 - (is_at(first, lower) ? 1 : 0) - (is_at(last, upper) ? 1 : 0);
  }
};

/// Returns the multiples of a step from `lower` to `upper`, with labels. They are computed from
/// integers, so errors do not accumulate.
std::vector<Tick> multiples_of(double step, double lower, double upper) {
  double const largest = std::max(std::abs(lower), std::abs(upper));
  Multiples const range(lower, upper, step);
  std::vector<Tick> ticks;
  for (std::int64_t i = range.first; i <= range.last; ++i) {
    double const value = static_cast<double>(i) * step;
    ticks.push_back({value, label_of(value, step, largest)});
  }
  return ticks;
}

/// The label of the only tick if there are no steps.
std::vector<Tick> single_tick(double value) { return {{value, fmt::format("{:.4g}", value)}}; }

}  // namespace

std::vector<Tick> ticks_between(double lower, double upper, int wanted) {
  double const step = round_step((upper - lower) / std::max(1, wanted));
  if (has_no_steps(lower, upper, step)) return single_tick(lower);
  std::vector<Tick> ticks = multiples_of(step, lower, upper);
  // No multiple of a step as long as the interval may lie in it: 0.1 for 0.025 to 0.08.
  return ticks.empty() ? ticks_between(lower, upper, 2 * std::max(1, wanted)) : ticks;
}

std::vector<Tick> levels_between(double lower, double upper, int wanted) {
  double const usual = (upper - lower) / (std::max(1, wanted) + 1);
  if (has_no_steps(lower, upper, usual)) return single_tick(lower);
  double const power = std::pow(10.0, std::floor(std::log10(usual)));
  double best_step = 0.0;
  std::int64_t smallest_miss = 0;
  // Of equally good steps the first is kept: the coarser, and 2.5 only if it is better.
  for (double const factor : std::array{20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 2.5}) {
    double const step = factor * power;
    if (has_no_steps(lower, upper, step)) continue;
    std::int64_t const count = Multiples(lower, upper, step).count_inside(lower, upper, step);
    std::int64_t const miss = std::abs(count - std::max(1, wanted));
    if (best_step == 0.0 || miss < smallest_miss) {
      best_step = step;
      smallest_miss = miss;
    }
  }
  return best_step > 0.0 ? multiples_of(best_step, lower, upper) : single_tick(lower);
}

}  // namespace isotherm
