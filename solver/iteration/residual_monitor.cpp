#include "solver/iteration/residual_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {

ResidualMonitor::ResidualMonitor(mpi::Communicator const& ranks, Queue& queue,
                                 CheckSchedule const& schedule, Criterion const& criterion,
                                 Scheme const& scheme, std::int64_t unknowns)
    : ranks_(&ranks),
      schedule_(schedule),
      criterion_(criterion),
      factor_(scheme.residual_factor),
      time_step_s_(scheme.time_step_s),
      unknowns_(unknowns),
      reader_(queue, most_pending) {}

Change* ResidualMonitor::measure(Queue& queue, std::int64_t iteration, int count) {
  require(pending_ == 0, "a residual is measured before the last one is known");
  require(count <= most_pending, "more residuals are measured than can be kept");
  reader_.clear(queue, count);
  pending_from_ = iteration;
  pending_ = count;
  return reader_.device();
}

void ResidualMonitor::measured(Queue& queue) { reader_.fetch(queue, pending_); }

double ResidualMonitor::largest(Change const& change) {
  // A maximum may lose a NaN on its way through MPI, infinity arrives.
  bool const finite = std::isfinite(change.largest) && !std::isnan(change.sum_of_squares);
  return ranks_->max(finite ? change.largest : std::numeric_limits<double>::infinity());
}

ResidualMonitor::Reduced ResidualMonitor::reduced(Change const& change) {
  Stopwatch const watch(seconds_);
  if (criterion_.norm == Norm::max) return {factor_ * largest(change)};
  double const sum = ranks_->sum(change.sum_of_squares);  // the same on every rank
  auto const count = static_cast<double>(std::max<std::int64_t>(unknowns_, 1));
  double const mean = std::sqrt(sum / count);
  if (std::isnormal(sum)) return {factor_ * mean};
  double const bound = factor_ * largest(change);
  if (bound == 0.0) return {0.0};
  if (std::isinf(sum) && std::isfinite(bound)) return {factor_ * mean, Squares::too_large};
  return {std::isfinite(sum) ? bound : factor_ * mean, Squares::too_small};
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
  require(std::isfinite(value),
          "the field is no longer finite, or too large for its residual: that of iteration " +
              std::to_string(iteration) + " is infinite or not a number");
  require(squares != Squares::too_small || first_ || !may_stop(),
          of_iteration +
              ", to which the tolerance relates, is too small for the norm l2: the "
              "squares of its values are less than float64 holds" +
              advice);
  last_ = Residual{iteration, static_cast<double>(iteration) * time_step_s_, value};
  fresh_.push_back(*last_);
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
