#include "solver/floating_solver.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/solver.hpp"
#include "solver/steady_error.hpp"

namespace isotherm {

namespace {

/// Accuracy of the solutions for the capacitance matrix. Each correction of U leaves this share of
/// its error, so two corrections reach 1e-10.
constexpr double rough_accuracy = 1e-5;
/// The accuracy if corrections with the rough matrix do not reduce the error.
constexpr double fine_accuracy = 1e-10;
/// Tolerance of U, relative to the range of the field, if the method has no relative tolerance.
constexpr double default_tolerance = 1e-9;
/// Number of corrections in sequence, none of which halves the error, after which U stagnates.
constexpr int max_poor_corrections = 4;

/// Returns the maximum of the magnitudes.
double largest(std::vector<double> const& values) {
  double largest = 0.0;
  for (double const value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Rounds values to multiples of a power of two that is small relative to their tolerance.
/// Multigrid on another number of ranks yields other last digits; this makes them equal, except if
/// a value happens to lie halfway between two multiples.
std::vector<double> rounded(std::vector<double> values, double tolerance) {
  constexpr int small = 6;  // 2⁻⁶
  if (!(tolerance > 0.0) || !std::isfinite(tolerance)) return values;
  double const unit = std::ldexp(1.0, std::ilogb(tolerance) - small);
  for (double& value : values) {
    double const multiple = std::nearbyint(value / unit) * unit;
    if (std::isfinite(multiple)) value = multiple;
  }
  return values;
}

/// Returns the tolerance of U, relative to the range of the field.
double tolerance_of(MethodSettings const& method) {
  return method.tolerance > 0.0 ? method.tolerance : default_tolerance;
}

}  // namespace

FloatingSolver::FloatingSolver(mpi::Communicator const& ranks, Problem problem,
                               MethodSettings method, SolverPlan const& plan)
    : ranks_(ranks.get()),
      problem_(std::move(problem)),
      method_(std::move(method)),
      where_(of_auxiliary_cycles(plan.execution)),
      regions_(ranks_, problem_, plan.subdomain),
      accuracy_(rough_accuracy),
      values_(regions_.size(), 0.0) {
  SolverPlan shared = plan;
  shared.execution = with_half_of_spare(plan.execution);
  solver_ = make_solver(ranks_, with_floating_values(problem_), method_, shared);
  // Claims about the field are checked with the values that it has, not with those of the problem.
  solver_->check_claims_by({});
  if (SteadyError::applies(problem_, method_)) {
    solver_->check_claims_by(check_by_multigrid(problem_, method_, plan.execution.parts));
  }
}

void FloatingSolver::advance_to(std::int64_t iteration) {
  if (!known_) {
    set(first_values());
    known_ = true;
  }
  solver_->advance_to(iteration);
  // The error of U is measured only if the solver reports that it has converged or stagnates.
  while (has_tolerance(method_) && (solver_->converged() || solver_->stalled())) {
    if (settled_ || stuck_ || !correct()) return;
    solver_->advance_to(iteration);
  }
}

/// Measures the error of U. Returns true if it was too large and U has been corrected.
bool FloatingSolver::correct() {
  std::vector<double> const missing = missing_fluxes(measure(*solver_));
  std::vector<double> step = capacitance().solve(missing);
  double const range = scale();
  double const size = largest(step);
  error_ = range > 0.0 ? size / range : 0.0;
  settled_ = size <= tolerance_of(method_) * range;
  if (settled_) return false;
  poor_ = size_ && size > 0.5 * *size_ ? poor_ + 1 : 0;
  size_ = size;
  stuck_ = poor_ >= max_poor_corrections;
  if (stuck_) return false;
  if (poor_ > 0 && accuracy_ > fine_accuracy) {
    accuracy_ = fine_accuracy;
    capacitance_.reset();
    step = capacitance().solve(missing);
  }
  for (std::size_t i = 0; i < step.size(); ++i) step[i] += values_[i];
  set(rounded(step, tolerance_of(method_) * range));
  return true;
}

CapacitanceMatrix const& FloatingSolver::capacitance() {
  if (!capacitance_) capacitance_.emplace(ranks_, problem_, where_, accuracy_);
  return *capacitance_;
}

/// Returns U before the first iteration. Sweeps hardly move the smooth error that a wrong value
/// leaves, and a run without a tolerance never corrects U, so both begin with accurate values.
std::vector<double> FloatingSolver::first_values() {
  if (method_.name == "multigrid" && has_tolerance(method_)) return values_by_rough_solution();
  Problem problem = problem_;
  problem.precision = Precision::float64;
  MethodSettings const method = cycles_to(0.1 * tolerance_of(method_), method_.norm);
  auto const solver = make_solver(ranks_, problem, method, where_);
  solver->advance_to(method.iterations);
  std::vector<double> values;
  for (FloatingConductor const& one : solver->floating_conductors()) values.push_back(one.value);
  return values;
}

std::vector<double> FloatingSolver::values_by_rough_solution() {
  Problem at_zero = with_floating_values(problem_);
  at_zero.precision = Precision::float64;
  MethodSettings const method = cycles_to(rough_accuracy, method_.norm);
  // Only one of the two auxiliary solvers exists at a time.
  std::vector<double> missing;
  {
    auto const solver = make_solver(ranks_, at_zero, method, where_);
    solver->advance_to(method.iterations);
    missing = missing_fluxes(measure(*solver));
  }
  std::vector<double> const values = capacitance().solve(missing);
  return rounded(values, tolerance_of(method_) * largest(values));
}

/// Measures the flows of a solver's field. The meter of solver_ is kept for the next call.
HeatFlows FloatingSolver::measure(Solver& solver) {
  auto const make = [&]<class Real>(FieldView<Real const>) {
    auto meter =
        std::make_shared<HeatFlowMeter<Real>>(ranks_, solver.queue(), solver.subdomain(), problem_);
    return std::function<HeatFlows()>([meter, &solver] {
      return meter->read(std::get<FieldView<Real const>>(solver.field_view()), 0.0);
    });
  };
  if (&solver != solver_.get()) return std::visit(make, solver.field_view())();
  if (!meter_) meter_ = std::visit(make, solver.field_view());
  return meter_();
}

std::vector<double> FloatingSolver::missing_fluxes(HeatFlows const& flows) const {
  std::vector<double> missing;
  for (std::size_t const number : regions_.numbers()) {
    missing.push_back(*problem_.medium.fixed[number].floating_flux - flows.fixed[number]);
  }
  return missing;
}

/// Returns the range of the field, or its magnitude if it is constant.
double FloatingSolver::scale() {
  ValueRange range;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        RangeMeter meter(queue());
        range = meter.measure(queue(), field, subdomain().owned());
      },
      solver_->field_view());
  range = {ranks_.min(range.smallest), ranks_.max(range.largest)};
  return range.width() > 0.0 ? range.width() : range.magnitude();
}

void FloatingSolver::set(std::vector<double> values) {
  values_ = std::move(values);
  settled_ = stuck_ = false;
  error_.reset();
  keep_earlier_residuals();
  solver_->set_region_values(regions_.paired(values_));
}

SolverState FloatingSolver::state() {
  SolverState state = solver_->state();
  if (error_ && state.last_residual && state.last_residual->error) {
    state.last_residual->error = std::max(*state.last_residual->error, *error_);
  }
  return state;
}

void FloatingSolver::restore(ConstValues values, SolverState const& state) {
  set(regions_.values_in(ranks_, values));
  // The field before the first iteration has no values of conductors yet.
  known_ = state.iteration > 0;
  size_.reset();
  poor_ = 0;
  earlier_.clear();
  solver_->restore(values, state);
}

void FloatingSolver::set_initial(ConstValues values) {
  solver_->set_initial(values);
  known_ = settled_ = stuck_ = false;
  size_.reset();
  error_.reset();
  poor_ = 0;
  earlier_.clear();
}

void FloatingSolver::set_region_values(std::vector<RegionValue> const& values) {
  solver_->set_region_values(values);
  settled_ = stuck_ = false;
  error_.reset();
}

std::vector<FloatingConductor> FloatingSolver::floating_conductors() {
  HeatFlows const flows = measure(*solver_);
  return regions_.conductors(problem_, values_, flows.fixed);
}

}  // namespace isotherm
