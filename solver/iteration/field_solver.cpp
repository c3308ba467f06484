#include "solver/iteration/field_solver.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/multigrid/mean.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given/given_value.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the number of unknowns of the whole grid. @param fixed  points that regions fix
/// @throws ValueRefusal  if regions leave none
std::int64_t unknowns_of(Problem const& problem, std::int64_t fixed) {
  std::int64_t const off_faces = unknown_count(problem);
  bool const by_regions = !problem.medium.insulated.empty() || !problem.medium.fixed.empty();
  if (off_faces > fixed || off_faces == 0 || !by_regions) return off_faces - fixed;
  // A fluid on the surface of an insulated region is a fixed one.
  bool const insulates = !problem.medium.insulated.empty() ||
                         std::ranges::any_of(problem.medium.fixed, &FixedRegion::is_excluded);
  throw ValueRefusal({insulates ? "insulated" : "fixed",
                      "the regions leave no unknown: at every point insulation shuts the control "
                      "volume, or a value is given (make the regions smaller)"});
}

}  // namespace

template <class Real>
FieldSolver<Real>::FieldSolver(SolverRequest const& request, ResidualMonitor::Changes changes)
    : ranks_(request.ranks.get()),
      problem_(request.problem),
      method_(request.method),
      plan_(request.plan),
      steps_(time_steps_of(method_)),
      longest_step_s_(steps_.lengths_between(0, method_.iterations).second),
      varies_in_time_(varies_in_time(problem_)),
      queue_(plan_.execution.backend, plan_.execution.device),
      space_(ranks_, plan_.subdomain, queue_, halo_shape(problem_, plan_.passes.full().steps),
             plan_.execution.transport),
      dirichlet_(problem_, plan_.subdomain),
      fixed_points_(problem_, plan_.subdomain),
      range_meter_(queue_),
      monitor_(ranks_, queue_, method_,
               {precision_of<Real>, changes, plan_.scheme.residual_factor,
                unknowns_of(problem_, fixed_points_.count_of_all(ranks_)),
                [this, ambient = ambient_range(problem_, plan_.subdomain)] {
                  // Rounding errors are bounded by the ambient values of faces, too.
                  ValueRange range = range_meter_.measure(
                      queue_, std::as_const(*this).field().view(), subdomain().owned(), links());
                  range.add(ambient);
                  return range;
                }}) {}

template <class Real>
SolverState FieldSolver<Real>::state() {
  Stopwatch const watch(advancing_s_);
  fetch();
  return {iteration_,         monitor_.first(),
          monitor_.last(),    monitor_.reference(),
          time_s(),           steps_.leading_to(iteration_),
          monitor_.changes(), monitor_.range(),
          monitor_.refuted(), monitor_.found_error()};
}

template <class Real>
void FieldSolver<Real>::check_claims_by(ErrorCheck const& check) {
  if (!check) return monitor_.set_check({});
  monitor_.set_check([this, check](double enough) { return check(ranks_, *this, enough); });
}

template <class Real>
std::vector<Residual> FieldSolver<Real>::take_residuals() {
  Stopwatch const watch(advancing_s_);
  fetch();
  return monitor_.take();
}

template <class Real>
void FieldSolver<Real>::restore(ConstValues values, SolverState const& state) {
  require(state.iteration >= 0 && state.iteration <= method_.iterations,
          "a state of iteration " + std::to_string(state.iteration) +
              " cannot be restored: the run's settings go from 0 to " +
              std::to_string(method_.iterations));
  // The values of Dirichlet points are part of the state.
  field().write(span_of<Real const>(values));
  resume(state);
}

template <class Real>
void FieldSolver<Real>::set_initial(ConstValues values) {
  field().write(span_of<Real const>(values));
  resume({});
  set_boundary(time_s());
}

template <class Real>
void FieldSolver<Real>::set_region_values(std::vector<RegionValue> const& values) {
  // fixed_points_ refers to these functions.
  for (auto const& [region, value] : values) problem_.medium.fixed.at(region).value = value;
  fixed_points_.set(field(), time_s());
  resume({iteration_, monitor_.first(), {}});
}

template <class Real>
void FieldSolver<Real>::read_source(Values values) {
  evaluate_owned(subdomain(), problem_.source, time_s(), span_of<Real>(values));
}

template <class Real>
void FieldSolver<Real>::wait() {
  Stopwatch const watch(advancing_s_);
  queue_.wait();
}

template <class Real>
SolverTimes FieldSolver<Real>::times() const {
  double const halo_s = halo_seconds();
  double const reduction_s = monitor_.seconds() + reduction_s_;
  return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
}

template <class Real>
void FieldSolver<Real>::resume(SolverState const& state) {
  fault_.forget();
  iteration_ = state.iteration;
  monitor_.restore(state);
  stalled_ = false;
}

template <class Real>
void FieldSolver<Real>::make_source() {
  if (needs_source_field(problem_)) source_.emplace(problem_, plan_.scheme, space_);
}

template <class Real>
void FieldSolver<Real>::set_first_boundary() {
  set_boundary(method_.start_time_s);
  field().check_evaluated([&](Index3 p) { return faulty_boundary(problem_, subdomain(), p); });
}

template <class Real>
void FieldSolver<Real>::set_initial_state() {
  set_initial_values(problem_, queue_, field());
  field().check_evaluated([&](Index3 p) { return faulty_initial_value(problem_, subdomain(), p); });
  fixed_points_.set(field(), method_.start_time_s);
}

template <class Real>
double FieldSolver<Real>::set_constant(Problem const& given) {
  double const level = fixed_points_.given_constant(ranks_, given, subdomain());
  add_constant(queue_, field().writable(), subdomain().owned(), level);
  set_boundary(method_.start_time_s);
  return level;
}

template <class Real>
void FieldSolver<Real>::set_boundary(double time_s) {
  fixed_points_.set(field(), time_s);
  dirichlet_.set(field(), time_s);
}

template <class Real>
void FieldSolver<Real>::set_varying_boundary(double time_s) {
  if (!varies_in_time_) return;
  fixed_points_.set_varying(field(), time_s);
  dirichlet_.set_varying(field(), time_s);
  if (auto const point = space_.staging().take_not_finite()) {
    fault_.note(faulty_boundary(problem_, subdomain(), *point).text, time_s);
  }
}

template <class Real>
void FieldSolver<Real>::set_source_time(double time_s) {
  if (!source_ || time_s == source_time_s_) return;
  source_->set_time(time_s);
  source_time_s_ = time_s;
  note_source();
}

template <class Real>
void FieldSolver<Real>::set_scheme(Scheme const& scheme) {
  if (!source_) return;
  source_->set_scheme(scheme, source_time_s_);
  note_source();
}

template <class Real>
void FieldSolver<Real>::note_source() {
  if (auto const point = space_.staging().take_not_finite()) {
    fault_.note(faulty_source(problem_, subdomain(), *point, source_time_s_).text, source_time_s_);
  }
}

template <class Real>
void FieldSolver<Real>::check_varying() {
  if (!varies_in_time_) return;
  if (auto const fault = source_ ? source_->take_fault() : std::nullopt) {
    auto const [point, time_s] = *fault;
    fault_.note(faulty_source(problem_, subdomain(), point, time_s).text, time_s);
  }
  fault_.check(ranks_);
}

template <class Real>
void FieldSolver<Real>::fetch() {
  check_varying();
  monitor_.fetch();
}

template <class Real>
void FieldSolver<Real>::check_target(std::int64_t target) const {
  require(target <= method_.iterations, "iteration " + std::to_string(target) +
                                            " was asked for, but the run's settings end at " +
                                            std::to_string(method_.iterations));
}

template class FieldSolver<float>;
template class FieldSolver<double>;

}  // namespace isotherm
