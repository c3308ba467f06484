#include "solver/iteration/residual_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {

ResidualMonitor::ResidualMonitor(mpi::Communicator const& ranks, Queue& queue,
                                 MethodSettings const& method, double factor, std::int64_t unknowns)
    : ranks_(&ranks),
      method_(method),
      factor_(factor),
      unknowns_(unknowns),
      reader_(queue, most_pending) {}

std::int64_t ResidualMonitor::next_check(std::int64_t iteration) const {
  std::int64_t const every = method_.check_every;
  if (every == 0) return std::numeric_limits<std::int64_t>::max();
  std::int64_t const past = iteration % every;
  return past == 0 ? iteration : iteration + (every - past);
}

int ResidualMonitor::checks_between(std::int64_t iteration, std::int64_t end) const {
  std::int64_t const first = next_check(iteration);
  if (first >= end) return 0;
  std::int64_t const checks = (end - first - 1) / method_.check_every + 1;
  return static_cast<int>(std::min<std::int64_t>(checks, most_pending));
}

Change* ResidualMonitor::measure(Queue& queue, std::int64_t iteration, int count) {
  require(pending_ == 0, "a residual is measured before the last one is known");
  require(count <= most_pending, "more residuals are measured than can be kept");
  reader_.clear(queue, count);
  pending_from_ = iteration;
  pending_ = count;
  return reader_.device();
}

void ResidualMonitor::measured(Queue& queue) { reader_.fetch(queue, pending_); }

double ResidualMonitor::reduced(Change const& change) {
  Stopwatch const watch(seconds_);
  if (method_.norm == Norm::max) {
    // A maximum may lose a NaN on its way through MPI, infinity arrives.
    bool const finite = std::isfinite(change.largest) && !std::isnan(change.sum_of_squares);
    return ranks_->max(finite ? change.largest : std::numeric_limits<double>::infinity());
  }
  auto const count = static_cast<double>(std::max<std::int64_t>(unknowns_, 1));
  return std::sqrt(ranks_->sum(change.sum_of_squares) / count);
}

void ResidualMonitor::learn() {
  int const count = std::exchange(pending_, 0);
  for (int i = 0; i < count; ++i) learn(pending_from_ + i * method_.check_every, reader_.read(i));
}

void ResidualMonitor::learn(std::int64_t iteration, Change const& change) {
  double const value = factor_ * reduced(change);
  require(std::isfinite(value), "the field is no longer finite: the residual of iteration " +
                                    std::to_string(iteration) + " is infinite or not a number");
  last_ = Residual{iteration, static_cast<double>(iteration) * method_.time_step_s, value};
  fresh_.push_back(*last_);
  if (!first_) first_ = value;
}

bool ResidualMonitor::within_tolerance() const {
  return method_.tolerance > 0.0 && last_ && first_ && last_->value <= method_.tolerance * *first_;
}

std::vector<Residual> ResidualMonitor::take() { return std::exchange(fresh_, {}); }

void ResidualMonitor::restore(SolverState const& state) {
  pending_ = 0;
  first_ = state.first_residual;
  last_ = state.last_residual;
  fresh_.clear();
}

}  // namespace isotherm
