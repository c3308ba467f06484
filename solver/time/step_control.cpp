#include "solver/time/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

/// Relative difference of two lengths that rounding explains.
constexpr double rounding = 1e-9;
constexpr double safety = 0.9;
constexpr int max_halvings = 4;  ///< after a rejected step

/// Returns base^(order + 1).
double power(double base, int order) {
  double product = base;
  for (int n = 0; n < order; ++n) product *= base;
  return product;
}

}  // namespace

void StepControl::restore(StepState const& state) {
  state_ = state;
  if (state_.next_s > 0.0) return;
  bool const is_given = settings_.first_s > 0.0;
  state_.next_s = is_given ? settings_.first_s : std::numeric_limits<double>::max();
}

void StepControl::begin(double from_s, double to_s) {
  from_s_ = from_s;
  to_s_ = to_s;
  position_ = 0;
  deepest_ = deepest_level(to_s - from_s, to_s);
  level_ = level_for(to_s - from_s, deepest_);
}

int StepControl::deepest_level(double interval_s, double to_s) const {
  constexpr double roundings = 1024.0;  // half steps must differ from rounding errors of times
  double const given_s = settings_.shortest_s;
  double const limit_s =
      std::max(given_s > 0.0 ? given_s * (1.0 - rounding) : shortest_part * interval_s,
               roundings * std::numeric_limits<double>::epsilon() * std::abs(to_s));
  int level = 0;
  while (0.5 * std::ldexp(interval_s, -level) >= limit_s && level < 60) ++level;
  return level;
}

int StepControl::level_for(double interval_s, int deepest) const {
  int level = 0;
  double const longest_s = state_.next_s * (1.0 + rounding);
  while (level < deepest && std::ldexp(interval_s, -level) > longest_s) ++level;
  return level;
}

double StepControl::first_length(double from_s, double to_s) const {
  double const interval_s = to_s - from_s;
  return std::ldexp(interval_s, -level_for(interval_s, deepest_level(interval_s, to_s)));
}

double StepControl::time_at(std::int64_t position, int level) const {
  if (position == std::int64_t{1} << level) return to_s_;
  return from_s_ + (to_s_ - from_s_) * std::ldexp(static_cast<double>(position), -level);
}

DividedStep StepControl::step() const {
  return {time_at(position_, level_), time_at(2 * position_ + 1, level_ + 1),
          time_at(position_ + 1, level_), std::ldexp(to_s_ - from_s_, -level_)};
}

bool StepControl::judge(double error, int order) {
  double const relative = error / settings_.tolerance;
  if (relative <= 1.0) {
    bool const may_double = relative <= power(0.5 * safety, order);
    accept(may_double);
    return true;
  }
  ++state_.rejected;
  if (is_shortest()) {
    throw NotConverged(
        "the estimated error of the step from t = " + six_digits(step().from_s) + " is " +
        six_digits(error) + ", but time_tolerance is " + shortest(settings_.tolerance) +
        ", and the step of " + six_digits(step().length_s) +
        " cannot be shortened (choose a larger [method] time_tolerance, a smaller step_tolerance, "
        "or a smaller shortest_step)");
  }
  int halvings = 1;
  double expected = relative * power(0.5, order);
  while (halvings < max_halvings && !(expected <= power(safety, order))) {
    expected *= power(0.5, order);
    ++halvings;
  }
  shorten(halvings);
  return false;
}

void StepControl::accept(bool may_double) {
  double const length_s = step().length_s;
  bool const is_first = state_.accepted == 0;
  ++state_.accepted;
  state_.shortest_s = is_first ? length_s : std::min(state_.shortest_s, length_s);
  state_.longest_s = std::max(state_.longest_s, length_s);
  state_.next_s = may_double ? 2.0 * length_s : length_s;
  ++position_;
  // A step of twice the length must fit between the times that such steps reach.
  if (may_double && level_ > 0 && position_ % 2 == 0) {
    --level_;
    position_ /= 2;
  }
}

void StepControl::reject(NotConverged const& reason) {
  ++state_.rejected;
  if (is_shortest()) {
    throw NotConverged(reason.what() + std::string("; the step of ") + six_digits(step().length_s) +
                       " cannot be shortened");
  }
  shorten(1);
}

void StepControl::shorten(int levels) {
  int const level = std::min(level_ + levels, deepest_);
  position_ <<= level - level_;
  level_ = level;
  state_.next_s = std::ldexp(to_s_ - from_s_, -level_);
}

}  // namespace isotherm
