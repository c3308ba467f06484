#include "app/run/report/progress.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "case/basics/text/text.hpp"

namespace isotherm::app {

namespace {

constexpr double longest_interval_s = 600.0;  // between two lines
constexpr double interval_growth = 1.5;       // from one line to the next
constexpr int bar_width = 10;  // leaves room for the text on a terminal of 80 columns

/// Returns a bar such as "[###.......]" for a share from 0 to 1.
std::string draw_bar(double share) {
  int const full = static_cast<int>(std::clamp(share, 0.0, 1.0) * bar_width);
  return fmt::format("[{:.<{}}]", std::string(static_cast<std::size_t>(full), '#'), bar_width);
}

/// Returns ", residual 1.23e-04, relative 4.50e-06"; empty if no residual is known.
std::string describe_residual(ProgressState const& state) {
  if (!state.residual) {
    return "";
  }
  double const reference = state.reference.value_or(0.0);
  std::string text = fmt::format(", residual {:.3e}", state.residual->value);
  if (reference > 0.0) {
    text += fmt::format(", relative {:.2e}", state.residual->value / reference);
  }
  if (state.residual->error) text += fmt::format(", error {:.2e}", *state.residual->error);
  return text;
}

/// Replaces residuals by their estimated errors, and omits those without an estimate.
std::vector<Residual> errors_of(std::vector<Residual> const& residuals) {
  std::vector<Residual> errors;
  for (Residual const& one : residuals) {
    if (one.error) errors.push_back({one.iteration, one.time_s, *one.error, {}});
  }
  return errors;
}

/// Returns the words in front of the time that is left.
char const* describe(IterationsLeft::Known known) {
  switch (known) {
    case IterationsLeft::Known::exactly:
      return "";
    case IterationsLeft::Known::about:
      return "about ";
    case IterationsLeft::Known::at_most:
      return "at most ";
  }
  return "";
}

}  // namespace

IterationsLeft iterations_left(ProgressState const& state, Goal const& goal,
                               std::span<Residual const> history) {
  using enum IterationsLeft::Known;
  auto const to_limit = static_cast<double>(goal.limit - state.iteration);
  if (goal.tolerance <= 0.0) {
    return {to_limit, goal.may_stop ? at_most : exactly};
  }
  // A tolerance relative to the field bounds the estimated error; otherwise it bounds the relative
  // residual.
  bool const by_error = goal.relative_to == RelativeTo::field;
  // Estimated errors are relative already; residuals are compared with tolerance · reference.
  auto const at = forecast_iteration(
      history, goal.tolerance * (by_error ? 1.0 : state.reference.value_or(0.0)));
  // No forecast, so only the limit is known.
  if (!at) {
    return {to_limit, at_most};
  }
  return {std::clamp(*at - static_cast<double>(state.iteration), 0.0, to_limit), about};
}

std::string progress_text(ProgressState const& state, Goal const& goal, IterationsLeft const& left,
                          double seconds_left) {
  return fmt::format("{}{} left, {}, iteration {} of {}{}{}", describe(left.known),
                     format_seconds(seconds_left), format_rate(state.points_per_second),
                     state.iteration, goal.tolerance > 0.0 || goal.may_stop ? "at most " : "",
                     goal.limit, describe_residual(state));
}

Progress::Progress(RunLog& log, std::int64_t first, Goal goal)
    : log_(log), first_(first), goal_(goal) {}

/// A bar is drawn at every call; lines appear at growing intervals, so logs remain short.
void Progress::show(ProgressState const& state, std::vector<Residual> const& news) {
  // The quantity that the tolerance bounds.
  history_.add(goal_.relative_to == RelativeTo::field ? errors_of(news) : news);
  auto const now = Clock::now();
  bool const line_due = !log_.shows_bar() && now - last_line_ >= interval_;
  // Nothing is formatted if nothing is shown.
  if (!log_.shows_bar() && !line_due) {
    return;
  }
  IterationsLeft const left = iterations_left(state, goal_, history_.residuals());
  std::string const text =
      progress_text(state, goal_, left, left.count * seconds_an_iteration(state.iteration));
  if (!line_due) {
    // The share of the iterations of this run, not counting those before it was resumed.
    auto const done = static_cast<double>(state.iteration - first_);
    log_.bar(draw_bar(done / std::max(1.0, done + left.count)) + " " + text);
    return;
  }
  log_.line(text);
  last_line_ = now;
  interval_ =
      std::min(interval_ * interval_growth, std::chrono::duration<double>(longest_interval_s));
}

/// The mean extends over the whole run, including output, because single chunks vary by chance.
double Progress::seconds_an_iteration(std::int64_t iteration) const {
  std::chrono::duration<double> const since = Clock::now() - start_;
  return since.count() / static_cast<double>(std::max<std::int64_t>(1, iteration - first_));
}

}  // namespace isotherm::app
