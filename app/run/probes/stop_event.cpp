#include "app/run/probes/stop_event.hpp"

#include <utility>

#include "app/run/schedule/chunking.hpp"
#include "decomposition/ranks/collective_errors.hpp"

namespace isotherm::app {

namespace {

/// True if fields are stored, so that steps between two checks can be repeated.
bool stores_fields(Case const& chosen) { return chosen.stop && chosen.method.check_every > 1; }

/// Returns the number of values that this rank owns.
std::size_t values_of(Subdomain const& subdomain) {
  return static_cast<std::size_t>(subdomain.owned().point_count());
}

}  // namespace

StopEvent::StopEvent(mpi::Communicator const& ranks, Case const& chosen, Solver& solver)
    : ranks_(ranks), case_(chosen), solver_(solver) {
  if (!case_.stop) return;
  probe_ = Probe{"", case_.stop->where, ""};
  rethrow_on_all_ranks(ranks_, [&] {
    meter_ = make_probe_meter(ranks_, solver_.queue(), solver_.subdomain(), case_.problem, *probe_);
    if (stores_fields(case_)) {
      values_.emplace(case_.problem.precision, values_of(solver_.subdomain()));
    }
  });
  solver_.observe_parts([this](double time_s) { observe(time_s); });
  restart();
}

StopEvent::~StopEvent() {
  if (case_.stop) solver_.observe_parts({});
}

std::int64_t StopEvent::next(std::int64_t iteration, std::int64_t limit) const {
  return case_.stop ? next_multiple(iteration, case_.method.check_every, limit) : limit;
}

void StopEvent::restart() {
  if (!case_.stop) return;
  before_.reset();
  met_.reset();
  start_ = solver_.iteration();
  take(measure());
}

std::vector<Residual> StopEvent::judge() {
  auto residuals = solver_.take_residuals();
  if (!case_.stop || met_) return residuals;
  double const value = measure();
  bool const skipped_steps = before_ && before_->state.iteration + 1 < solver_.iteration();
  if (case_.stop->is_met_by(value) && skipped_steps && values_) {
    repeat_steps();
    // Residuals of the repeated steps are known already.
    (void)solver_.take_residuals();
    std::erase_if(residuals,
                  [&](Residual const& one) { return one.iteration > solver_.iteration(); });
  } else {
    take(value);
  }
  return residuals;
}

void StopEvent::return_to_check() {
  if (met_ || !before_ || !values_ || before_->state.iteration == solver_.iteration()) return;
  bool const has_advanced = before_->state.iteration > start_;
  if (has_advanced || case_.stop->is_met_by(measure())) go_back();
}

double StopEvent::measure(double time_s) {
  // On a device, the field may still be changing.
  solver_.wait();
  return meter_->read(solver_.field_view(), time_s).front().front();
}

void StopEvent::observe(double time_s) {
  if (met_ || above_) return;
  Instant const now{time_s, measure(time_s)};
  (case_.stop->is_met_by(now.value) ? above_ : below_) = now;
}

void StopEvent::remember(double value) {
  below_.reset();
  above_.reset();
  before_ = Judged{solver_.state(), solver_.time_s(), value};
  if (values_) solver_.read_field(values_->view());
}

/// The time is interpolated between the fields before and after the step, or the part of a divided
/// step. If the run's first field meets the criterion, the time is that of the field.
void StopEvent::take(double value) {
  StopCriterion const& stop = *case_.stop;
  if (!stop.is_met_by(value)) return remember(value);
  Instant const above = above_.value_or(Instant{solver_.time_s(), value});
  double time_s = above.time_s;
  if (before_) {
    Instant const below = below_.value_or(Instant{before_->time_s, before_->value});
    double const share = (stop.threshold - below.value) / (above.value - below.value);
    time_s = below.time_s + share * (above.time_s - below.time_s);
  }
  met_ = StopPoint{stop.text, solver_.iteration(), time_s, value};
}

void StopEvent::go_back() {
  solver_.restore(std::as_const(*values_).view(), before_->state);
  below_.reset();
  above_.reset();
}

void StopEvent::repeat_steps() {
  std::int64_t const end = solver_.iteration();
  go_back();
  while (!met_ && solver_.iteration() < end) {
    solver_.advance_to(solver_.iteration() + 1);
    take(measure());
  }
}

std::size_t StopEvent::footprint(Case const& chosen, Subdomain const& subdomain) {
  return stores_fields(chosen) ? values_of(subdomain) * value_bytes(chosen.problem.precision) : 0;
}

}  // namespace isotherm::app
