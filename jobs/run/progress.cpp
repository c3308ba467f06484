#include "jobs/run/progress.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "jobs/basics/text.hpp"

namespace isotherm {

namespace {

constexpr double longest_interval_s = 600.0;
constexpr double interval_growth = 1.5;
constexpr int bar_width = 24;

std::string draw_bar(double share) {
  int const full = static_cast<int>(std::clamp(share, 0.0, 1.0) * bar_width);
  return fmt::format("[{:.<{}}]", std::string(static_cast<std::size_t>(full), '#'), bar_width);
}

/// "residual 1.23e-04 (4.5e-06 of the first)"; empty before the first is known.
std::string describe_residual(Standing const& standing) {
  if (!standing.residual) {
    return "";
  }
  double const first = standing.first_residual.value_or(0.0);
  std::string text = fmt::format(", residual {:.3e}", standing.residual->value);
  if (first > 0.0) {
    text += fmt::format(" ({:.2e} of the first)", standing.residual->value / first);
  }
  return text;
}

}  // namespace

Progress::Progress(RunLog& log, std::int64_t first, std::int64_t limit, double tolerance)
    : log_(log), first_(first), limit_(limit), tolerance_(tolerance) {}

void Progress::show(Standing const& standing) {
  learn(standing);
  if (log_.shows_bar()) {
    auto const all = static_cast<double>(std::max<std::int64_t>(1, limit_ - first_));
    auto const done = static_cast<double>(standing.iteration - first_);
    log_.bar(draw_bar(done / (done + std::min(all - done, iterations_left(standing)))) + " " +
             describe(standing));
    return;
  }
  auto const now = Clock::now();
  if (now - last_line_ >= interval_) {
    log_.line(describe(standing));
    last_line_ = now;
    interval_ =
        std::min(interval_ * interval_growth, std::chrono::duration<double>(longest_interval_s));
  }
}

/// The residual's decay between two of them: how a tolerance's distance is judged.
void Progress::learn(Standing const& standing) {
  if (!standing.residual || (newest_ && newest_->iteration >= standing.residual->iteration)) {
    return;
  }
  if (newest_ && standing.residual->value > 0.0 && newest_->value > standing.residual->value) {
    decay_ = std::log(newest_->value / standing.residual->value) /
             static_cast<double>(standing.residual->iteration - newest_->iteration);
  }
  newest_ = standing.residual;
}

double Progress::iterations_left(Standing const& standing) const {
  auto const to_limit = static_cast<double>(limit_ - standing.iteration);
  double const first = standing.first_residual.value_or(0.0);
  if (tolerance_ <= 0.0 || decay_ <= 0.0 || first <= 0.0 || !newest_) {
    return to_limit;
  }
  double const to_tolerance = std::log(newest_->value / (tolerance_ * first)) / decay_;
  return std::clamp(to_tolerance, 0.0, to_limit);
}

std::string Progress::describe(Standing const& standing) const {
  double const left_s =
      iterations_left(standing) / std::max(standing.iterations_per_second, 1e-300);
  return fmt::format("iteration {} of {}{}{}, {}, {} left", standing.iteration,
                     tolerance_ > 0.0 ? "at most " : "", limit_, describe_residual(standing),
                     format_rate(standing.points_per_second), format_seconds(left_s));
}

}  // namespace isotherm
