#include "solver/iteration/residual_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/text.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm {

namespace {

/// Half units in the last place: an allowance for the error that rounding leaves in the solution.
constexpr double roundings = 16.0;

/// Returns true if the residual of a steady method has grown beyond doubt. It falls except for
/// rounding, which is small relative to the residual of a constant field. In time it may grow,
/// because a source may set in late.
bool grows_without_bound(double value, std::optional<double> first,
                         std::optional<double> reference) {
  constexpr double beyond_doubt = 1e10;
  if (!first || !reference) return false;
  double const known = std::max(*first, *reference);
  return known > 0.0 && value / beyond_doubt > known;
}

/// Returns how errors are estimated from these changes.
ErrorEstimate::Kind kind_of(ResidualMonitor::Changes changes) {
  using enum ResidualMonitor::Changes;
  if (changes == of_cycles) return ErrorEstimate::Kind::cycles;
  if (changes == of_conjugate_cycles) return ErrorEstimate::Kind::conjugate_cycles;
  return ErrorEstimate::Kind::steps;
}

}  // namespace

ResidualMonitor::ResidualMonitor(mpi::Communicator const& ranks, Queue& queue,
                                 MethodSettings settings, Subject subject)
    : ranks_(&ranks),
      settings_(std::move(settings)),
      schedule_(settings_.check_every),
      changes_(subject.changes),
      factor_(subject.factor),
      pending_factor_(subject.factor),
      steps_(time_steps_of(settings_)),
      unknowns_(subject.unknowns),
      reader_(queue, max_pending + 1),
      half_unit_(half_unit(subject.precision)),
      estimate_(kind_of(subject.changes)),
      range_here_(std::move(subject.range)) {}

Change* ResidualMonitor::measure(Queue& queue, std::int64_t iteration, int count) {
  // Pending accumulators must not be cleared.
  require(pending_ == 0, "a residual is measured before the previous one is known");
  require(count <= max_pending, "too many residuals are measured at once");
  // One accumulator more for the additional change.
  reader_.clear(queue, count + 1);
  pending_from_ = iteration;
  pending_ = count;
  pending_factor_ = factor_;
  pending_decides_ = decides_;
  additional_factor_.reset();
  return reader_.device();
}

void ResidualMonitor::measured_additional(double factor, double gain) {
  require(pending_ == 1, "an additional change needs exactly one residual");
  additional_factor_ = factor;
  additional_gain_ = gain;
}

void ResidualMonitor::measured(Queue& queue) { reader_.fetch(queue, pending_ + 1); }

ResidualMonitor::Reduced ResidualMonitor::reduced(Change const& change) {
  Stopwatch const watch(seconds_);
  bool const estimates = may_stop();
  if (settings_.norm == Norm::max) {
    double const largest = isotherm::largest_change(*ranks_, change);
    return {largest, largest};
  }
  // The sum of squares over all ranks is the same on each, so all decide alike.
  double const sum = ranks_->sum(change.sum_of_squares);
  auto const count = static_cast<double>(std::max<std::int64_t>(unknowns_, 1));
  double const mean = std::sqrt(sum / count);
  // The largest value costs another reduction. It is needed for estimates, and if squares fail.
  if (std::isnormal(sum) && !estimates) return {mean, 0.0};
  double const largest = isotherm::largest_change(*ranks_, change);
  if (std::isnormal(sum) || largest == 0.0) return {mean, largest};
  if (std::isinf(sum) && std::isfinite(largest)) return {mean, largest, Squares::too_large};
  return {std::isfinite(sum) ? largest : mean, largest, Squares::too_small};
}

void ResidualMonitor::fetch() {
  if (pending_ == 0) return;
  TimelineScope const scope("check");
  int const count = std::exchange(pending_, 0);
  for (int i = 0; i < count; ++i) add(pending_from_ + i * schedule_.every(), reader_.read(i));
}

void ResidualMonitor::add(std::int64_t iteration, Change const& change) {
  Reduced const measured = reduced(change);
  double const value = pending_factor_ * measured.value;
  std::string const of_iteration = "the residual of iteration " + std::to_string(iteration);
  constexpr char const* advice =
      R"( (set [method] norm = "max", which uses no squares, or scale the numbers of the case))";
  // First refuse norms that float64 cannot represent, then fields that have broken down.
  require(
      measured.squares != Squares::too_large || !std::isfinite(pending_factor_ * measured.largest),
      of_iteration + " is too large for the l2 norm: the squares of its values overflow float64" +
          advice);
  require_sound(
      std::isfinite(value),
      "the field is no longer finite, or too large for its residual: the residual of iteration " +
          std::to_string(iteration) + " is infinite or not a number");
  bool const advances_time = !steps_.empty() && steps_.step_after(iteration) > 0.0;
  require_sound(advances_time || !grows_without_bound(value, first_, reference_),
                of_iteration + " is " + shortest(value) +
                    ", more than 1e10 times the first residual and the reference of the tolerance: "
                    "it grows without bound");
  bool const relates_to_residual = settings_.relative_to != RelativeTo::field;
  require(measured.squares != Squares::too_small || first_ || !may_stop() || !pending_decides_ ||
              !relates_to_residual,
          of_iteration +
              ", the reference of the tolerance, is too small for the l2 norm: the squares of its "
              "values underflow float64" +
              advice);
  // Every residual is reported; those of very short steps decide nothing.
  fresh_.push_back({iteration, steps_.time_of(iteration), value});
  if (!pending_decides_) return;
  // A resumed run measures its field once more.
  bool const follows = last_ && last_->iteration > 0 && iteration > last_->iteration;
  ratio_ = follows && last_->value > 0.0 ? value / last_->value : 0.0;
  last_ = fresh_.back();
  found_error_.reset();
  if (!first_) first_ = value;
  // Cycles need the changes even for a tolerance of the residual, to detect the rounding floor.
  if (!may_stop() || (relates_to_residual && !is_by_cycle())) return;
  // Without a reference no given value makes the solution vary. The range of the initial field then
  // serves as the scale of errors.
  if (!relates_to_residual && !reference_ && !initial_range_) (void)measure_range();
  switch (changes_) {
    case Changes::of_sweeps:
      add_to_estimate(iteration, at_least_rounding(measured));
      break;
    case Changes::in_time: {
      double const rate = pending_factor_ * at_least_rounding(measured).value;
      add_to_estimate(iteration, {rate, pending_factor_ * measured.largest});
      break;
    }
    case Changes::of_time_steps:
      // The initial field has no step before it.
      if (!additional_factor_ && estimate_.samples().empty()) {
        add_to_estimate(iteration, {value, pending_factor_ * measured.largest});
        break;
      }
      [[fallthrough]];
    default:
      if (additional_factor_) add_beside(iteration, reader_.read(1));
  }
  if (!relates_to_residual) estimate_error();
}

void ResidualMonitor::add_beside(std::int64_t iteration, Change const& measured) {
  Reduced change = reduced(measured);
  if (!is_by_cycle()) change = at_least_rounding(change);
  change.value *= *additional_factor_;
  change.largest *= *additional_factor_;
  add_to_estimate(iteration, change);
}

void ResidualMonitor::add_change(Change const& change, double factor, double gain) {
  require(pending_ == 0 && last_, "a change is added before its residual is known");
  additional_factor_ = factor;
  additional_gain_ = gain;
  add_beside(last_->iteration, change);
  if (settings_.relative_to == RelativeTo::field) estimate_error();
}

void ResidualMonitor::begin_with(double residual) {
  fresh_.push_back({0, steps_.time_of(0), residual});
  last_ = fresh_.back();
  first_ = residual;
}

ResidualMonitor::Reduced ResidualMonitor::at_least_rounding(Reduced change) {
  bool const may_be =
      !range_ || change.value <=
                     2.0 * half_unit_ * (range_->magnitude() + moved_since_range_ + change.largest);
  if (may_be) change.value = std::max(change.value, measure_rounding());
  return change;
}

void ResidualMonitor::add_to_estimate(std::int64_t iteration, Reduced const& change) {
  // Decay is measured per unit of time or per iteration.
  double const position = is_in_time() ? steps_.time_of(iteration) : static_cast<double>(iteration);
  auto const& samples = estimate_.samples();
  // A bound on how far values have moved since the range was measured.
  double const distance =
      is_by_cycle() || samples.empty() ? 1.0 : std::abs(position - samples.back().position);
  // The residual of rounding does not fall, and its correction is rounding, too.
  constexpr double roundings = 64.0;
  bool const is_rounding = range_ && change.largest <= roundings * half_unit_ * range_->magnitude();
  if (!is_rounding) slowest_ = std::max(slowest_, ratio_);
  moved_since_range_ += distance * std::max(change.largest, largest_change_);
  largest_change_ = change.largest;
  estimate_.add({position, change.value, additional_gain_, slowest_});
}

/// Returns the norm of the error: the estimate from changes, or the bound by the residual if that
/// is smaller; none if neither is known. Nothing bounds the error of the initial field, which no
/// run ends with.
std::optional<double> ResidualMonitor::bounded_error() const {
  if (is_exact()) return 0.0;
  auto const estimate = estimate_.remaining();
  if (!error_bound_ || !last_ || last_->iteration == 0) return estimate;
  double const bound = *error_bound_ * last_->value;
  return estimate ? std::min(*estimate, bound) : bound;
}

/// The range is measured only if the error may be within the tolerance, or no range is known.
/// Between two measurements the range grows by at most twice the distance that values have moved.
void ResidualMonitor::estimate_error() {
  auto const left = bounded_error();
  if (!left) return;
  bool const may_do =
      !range_ || *left <= settings_.tolerance * (range_->width() + 2.0 * moved_since_range_);
  double const width = width_of(may_do ? measure_range() : *range_);
  // An estimate larger than the range is meaningless.
  if (*left <= width) set_error(*left, width);
}

void ResidualMonitor::take_rounding_floor() {
  auto const left = estimate_.at_rounding_floor();
  if (left && last_) take_error(*left);
}

void ResidualMonitor::take_correction(Change const& correction) {
  if (last_) take_error(reduced(correction).value);
}

void ResidualMonitor::forget_error() {
  if (last_) last_->error.reset();
  if (!fresh_.empty()) fresh_.back().error.reset();
}

void ResidualMonitor::take_error(double left) {
  ValueRange const range = measure_range();
  double const scale = scale_of(range, roundings * half_unit_ * range.magnitude());
  if (scale == 0.0 && left > 0.0) return;
  // An estimate larger than the range is meaningless.
  if (left <= scale) set_error(left, scale);
}

void ResidualMonitor::set_error(double error, double range) {
  // Rounding is spread evenly over half a unit either way; its root mean square is 1/√3 of that.
  if (range_ && !is_exact()) {
    double const stored = half_unit_ * range_->magnitude();
    error = std::max(error, settings_.norm == Norm::max ? stored : stored / std::sqrt(3.0));
  }
  if (refuted_) error *= refuted_->factor_at(last_->iteration);
  last_->error = range > 0.0 ? error / range : 0.0;
  last_->range = range;
  // The residual may have been taken already.
  if (fresh_.empty()) return;
  fresh_.back().error = last_->error;
  fresh_.back().range = range;
}

ValueRange const& ResidualMonitor::measure_range() {
  ValueRange const mine = range_here_();
  Stopwatch const watch(seconds_);
  range_ = ValueRange{ranks_->min(mine.smallest), ranks_->max(mine.largest)};
  moved_since_range_ = 0.0;
  // No given value makes the solution vary, so its range is 0. Errors are then relative to the
  // range of the initial field.
  if (!reference_) {
    if (initial_range_) range_->add(*initial_range_);
    initial_range_ = range_;
  }
  return *range_;
}

void ResidualMonitor::take_as_reference(double rounding) {
  fetch();
  if (last_->value > factor_ * rounding) reference_ = last_->value;
  restore({});
}

bool ResidualMonitor::confirms(std::int64_t iteration, bool is_last, bool at_floor) {
  bool const claims = within_tolerance();
  // Without an estimate the check decides, as after a claim that was refuted.
  bool const again = is_last && last_ &&
                     (((steps_.empty() || at_floor) && !last_->error) ||
                      (refuted_ && refuted_->iteration < iteration));
  if (!claims && !again) return false;
  if (found_error_ && found_at_ == iteration) return claims;
  bool const by_error = settings_.relative_to == RelativeTo::field && settings_.tolerance > 0.0;
  bool const by_residual =
      settings_.absolute_tolerance > 0.0 && last_->value <= settings_.absolute_tolerance;
  if (!check_ || !by_error || by_residual) return claims;
  ValueRange const range = measure_range();
  double const scale = scale_of(range, roundings * half_unit_ * range.magnitude());
  // All values are 0, so there is no scale.
  if (scale == 0.0) return claims;
  auto const found = check_(settings_.tolerance * scale);
  if (!found) return claims;
  found_error_ = *found / scale;
  found_at_ = iteration;
  bool const confirmed = *found_error_ <= settings_.tolerance;
  if (!confirmed && !is_last) refute(iteration, scale);
  return confirmed;
}

/// A row of residuals that has not been taken yet keeps its estimate, so tables do not depend on
/// when rows are taken.
void ResidualMonitor::refute(std::int64_t iteration, double range) {
  double const distrust = refuted_ ? refuted_->factor_at(last_->iteration) : 1.0;
  double const estimated = last_->error.value_or(0.0) / distrust;
  double const factor = estimated > 0.0 ? std::max(*found_error_ / estimated, 1.0) : 1.0;
  refuted_ = Refutation{iteration, factor};
  last_->error = found_error_;
  last_->range = range;
}

std::vector<Residual> ResidualMonitor::take() { return std::exchange(fresh_, {}); }

void ResidualMonitor::restore(SolverState const& state) {
  pending_ = 0;
  stopped_ = false;
  first_ = state.first_residual;
  last_ = state.last_residual;
  estimate_.restore(state.changes);
  slowest_ = state.changes.empty() ? 0.0 : state.changes.back().slowest;
  refuted_ = state.refuted;
  found_error_.reset();
  MeasuredRange const range = state.range.value_or(MeasuredRange{});
  largest_change_ = range.largest_change;
  moved_since_range_ = range.moved;
  range_.reset();
  if (state.range) range_ = range.values;
  initial_range_.reset();
  if (!reference_) initial_range_ = range_;  // see measure_range()
  fresh_.clear();
}

}  // namespace isotherm
