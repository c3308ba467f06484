#include "jobs/run/convergence_check.hpp"

#include <algorithm>
#include <cmath>

#include "jobs/machine/memory_limits.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// By how much rounding may falsify a residual that is measured as a change: a point's new value is
/// a weighted mean of its neighbours', with some roundings. The shorter a step, the more of it.
double rounded_away(Case const& chosen, Scheme const& scheme, double step_s,
                    FieldStatistics const& field) {
  constexpr double roundings = 4.0;
  double const unit = chosen.problem.precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  double const largest = std::max(std::abs(field.least), std::abs(field.largest));
  double const longer = step_s > 0.0 ? scheme.time_step_s / step_s : 1.0;
  return roundings * unit * largest * scheme.residual_factor * longer;
}

HostValues in_float64(Solver& solver, Precision precision) {
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  HostValues own(precision, points);
  solver.read_field(own.view());
  HostValues wide(Precision::float64, points);
  auto const to = span_of<double>(wide.view());
  std::visit([&](auto from) { std::copy(from.begin(), from.end(), to.begin()); },
             std::as_const(own).view());
  return wide;
}

/// The residual of the solver's field, as a solver in float64, on the CPU, measures it in a step
/// from there; none where that does not fit into the memory.
std::optional<double> residual_in_float64(mpi::Communicator const& ranks, PreparedRun const& run,
                                          Solver& solver) {
  Problem problem = run.chosen.problem;
  problem.precision = Precision::float64;
  std::int64_t const iteration = solver.iteration();
  MethodSettings method = run.chosen.method;
  method.iterations = iteration + 1;
  method.check_every = 1;
  method.tolerance = method.absolute_tolerance = 0.0;
  Execution where;
  where.parts = run.plan.execution.parts;
  where.plan = "plain";
  SolverPlan const plan = plan_solver(ranks, problem, method, where);
  auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
  std::size_t const copies =
      points * (value_bytes(Precision::float64) + value_bytes(run.chosen.problem.precision));
  if (!fits_on_all(ranks, Device{}, {solver_bytes(problem, method, plan), copies}))
    return std::nullopt;
  HostValues const values = in_float64(solver, run.chosen.problem.precision);
  auto const evaluator = make_solver(ranks, problem, method, plan);
  evaluator->restore(values.view(), {iteration, {}, {}});
  evaluator->advance_to(iteration + 1);
  auto const last = evaluator->state().last_residual;
  require(last && last->iteration == iteration, "the residual of the last field was not measured");
  return last->value;
}

}  // namespace

ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver, FieldStatistics const& field) {
  if (method_named(run.chosen.method.name).evaluates_residuals) return {};
  SolverState const state = solver.state();
  Scheme const& scheme = run.plan.solver->scheme;
  double const allowed = allowed_residual(run.chosen.method, state);
  TimeSteps const steps = time_steps_of(run.chosen.method);
  bool const measured_in_time = state.last_residual && !steps.empty();
  double const uncertain = rounded_away(
      run.chosen, scheme, measured_in_time ? steps.step_after(state.last_residual->iteration) : 0.0,
      field);
  bool const is_certain = state.last_residual && !varies_in_time(run.chosen.problem) &&
                          state.last_residual->value + uncertain <= allowed;
  if (is_certain || allowed == 0.0) return {};
  ConvergenceCheck check;
  check.residual = residual_in_float64(ranks, run, solver);
  check.converged = check.residual && *check.residual <= allowed;
  return check;
}

}  // namespace isotherm
