#include "solver/iteration/residual_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/text.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm {

namespace {

/// A steady method lessens the residual, but for rounding, which is small beside that of the zero
/// field. In time it may grow: a source may set in late.
bool grows_without_bound(double value, std::optional<double> first,
                         std::optional<double> reference) {
  constexpr double beyond_doubt = 1e10;
  if (!first || !reference) return false;
  double const known = std::max(*first, *reference);
  return known > 0.0 && value / beyond_doubt > known;
}

}  // namespace

ResidualMonitor::ResidualMonitor(mpi::Communicator const& ranks, Queue& queue,
                                 CheckSchedule const& schedule, Criterion const& criterion,
                                 double factor, TimeSteps steps, std::int64_t unknowns)
    : ranks_(&ranks),
      schedule_(schedule),
      criterion_(criterion),
      factor_(factor),
      pending_factor_(factor),
      steps_(std::move(steps)),
      unknowns_(unknowns),
      reader_(queue, most_pending) {}

Change* ResidualMonitor::measure(Queue& queue, std::int64_t iteration, int count) {
  require(pending_ == 0, "a residual is measured before the last one is known");
  require(count <= most_pending, "more residuals are measured than can be kept");
  reader_.clear(queue, count);
  pending_from_ = iteration;
  pending_ = count;
  pending_factor_ = factor_;
  pending_decides_ = decides_;
  return reader_.device();
}

void ResidualMonitor::measured(Queue& queue) { reader_.fetch(queue, pending_); }

ResidualMonitor::Reduced ResidualMonitor::reduced(Change const& change) {
  Stopwatch const watch(seconds_);
  if (criterion_.norm == Norm::max) return {pending_factor_ * largest_change(*ranks_, change)};
  double const sum = ranks_->sum(change.sum_of_squares);  // the same on every rank
  auto const count = static_cast<double>(std::max<std::int64_t>(unknowns_, 1));
  double const mean = std::sqrt(sum / count);
  if (std::isnormal(sum)) return {pending_factor_ * mean};
  double const bound = pending_factor_ * largest_change(*ranks_, change);
  if (bound == 0.0) return {0.0};
  if (std::isinf(sum) && std::isfinite(bound)) return {pending_factor_ * mean, Squares::too_large};
  return {std::isfinite(sum) ? bound : pending_factor_ * mean, Squares::too_small};
}

void ResidualMonitor::fetch() {
  int const count = std::exchange(pending_, 0);
  for (int i = 0; i < count; ++i) add(pending_from_ + i * schedule_.every(), reader_.read(i));
}

void ResidualMonitor::add(std::int64_t iteration, Change const& change) {
  auto const [value, squares] = reduced(change);
  std::string const of_iteration = "the residual of iteration " + std::to_string(iteration);
  constexpr char const* advice =
      R"( ([method] norm = "max" takes no squares; or scale the numbers of the case))";
  require(squares != Squares::too_large,
          of_iteration +
              " is too large for the norm l2: the squares of its values are more than "
              "float64 holds" +
              advice);
  require_sound(std::isfinite(value),
                "the field is no longer finite, or too large for its residual: that of iteration " +
                    std::to_string(iteration) + " is infinite or not a number");
  bool const advances_time = !steps_.empty() && steps_.step_after(iteration) > 0.0;
  require_sound(advances_time || !grows_without_bound(value, first_, criterion_.reference),
                of_iteration + " is " + shortest(value) +
                    ", more than 1e10 times what the field had at first and what the tolerance "
                    "relates to: it grows without bound");
  require(squares != Squares::too_small || first_ || !may_stop() || !pending_decides_,
          of_iteration +
              ", to which the tolerance relates, is too small for the norm l2: the "
              "squares of its values are less than float64 holds" +
              advice);
  fresh_.push_back({iteration, steps_.time_of(iteration), value});
  if (!pending_decides_) return;
  last_ = fresh_.back();
  if (!first_) first_ = value;
}

void ResidualMonitor::take_as_reference() {
  fetch();
  if (last_->value > 0.0) criterion_.reference = last_->value;
  restore({});
}

bool ResidualMonitor::within_tolerance() const {
  return may_stop() && last_ && first_ && last_->value <= allowed();
}

std::vector<Residual> ResidualMonitor::take() { return std::exchange(fresh_, {}); }

void ResidualMonitor::restore(SolverState const& state) {
  pending_ = 0;
  stopped_ = false;
  first_ = state.first_residual;
  last_ = state.last_residual;
  fresh_.clear();
}

}  // namespace isotherm
