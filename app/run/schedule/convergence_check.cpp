#include "app/run/schedule/convergence_check.hpp"

#include <algorithm>
#include <cmath>

#include "app/machine/memory_limits.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/steady_error.hpp"

namespace isotherm::app {

namespace {

/// Evaluates the residual of the solver's field by a solver in float64 on the CPU. Returns nothing
/// if that solver does not fit into the memory of some rank. Collective.
std::optional<double> residual_in_float64(mpi::Communicator const& ranks, PreparedRun const& run,
                                          Solver& solver) {
  Problem problem = run.chosen.problem;
  problem.precision = Precision::float64;
  std::int64_t const iteration = solver.iteration();
  MethodSettings method = run.chosen.method;
  // A Jacobi sweep needs less memory than multigrid cycles. Problems that Jacobi cannot solve (no
  // given values) are measured by the cycles nevertheless.
  bool const steady = !method_named(method.name).advances_time;
  if (steady && has_given_values(problem)) method.name = "jacobi";
  // One more iteration with a check, and without a tolerance that could end it before.
  method.multigrid.hierarchy = HierarchyKind::grids;  // a residual does not depend on it
  method.iterations = iteration + 1;
  method.check_every = 1;
  method.tolerance = method.absolute_tolerance = 0.0;
  // The same decomposition, so each rank reads its own values; the default backend is the CPU.
  Execution where;
  where.parts = run.plan.execution.parts;
  where.plan = has_plans(method_named(method.name)) ? "plain" : "auto";
  SolverPlan const plan = plan_solver(ranks, problem, method, where);
  auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
  // The field in its own precision and in float64 are both in memory for a moment.
  std::size_t const copies =
      points * (value_bytes(Precision::float64) + value_bytes(run.chosen.problem.precision));
  if (!fits_on_all(ranks, Device{}, {solver_bytes(problem, method, plan), copies}))
    return std::nullopt;
  HostValues const values = values_in_float64(solver);
  auto const evaluator = make_solver(ranks, problem, method, plan);
  evaluator->restore(values.view(), {iteration, {}, {}});
  // A sweep measures the residual of the field before it: the change of iteration + 1 is the
  // residual of `iteration`. Cycles evaluate it when they start.
  bool const by_sweep = !method_named(method.name).evaluates_residuals;
  evaluator->advance_to(by_sweep ? iteration + 1 : iteration);
  auto const last = evaluator->state().last_residual;
  require(last && last->iteration == iteration, "the residual of the final field was not measured");
  return last->value;
}

}  // namespace

ErrorCheck check_within_memory(Case const& chosen, RunPlan const& plan) {
  if (!SteadyError::applies(chosen.problem, chosen.method)) return {};
  return
      [problem = chosen.problem, method = chosen.method, parts = plan.execution.parts](
          mpi::Communicator const& ranks, Solver& solver, double enough) -> std::optional<double> {
        try {
          // Grids need less memory than aggregates, which may replace them.
          for (HierarchyKind const kind : {method.multigrid.hierarchy, HierarchyKind::grids}) {
            MethodSettings chosen_method = method;
            chosen_method.multigrid.hierarchy = kind;
            SteadyError const steady(ranks, problem, chosen_method, parts);
            // On every backend the cycles run on the CPU.
            if (!fits_on_all(ranks, Device{}, {steady.bytes(), 0})) continue;
            return steady.norm_of_error(solver, enough);
          }
          return std::nullopt;
        } catch (InputError const&) {  // on every rank: multigrid does not solve the problem
          return std::nullopt;
        }
      };
}

bool lacks_check(Case const& chosen, SolverState const& state) {
  auto const& last = state.last_residual;
  bool const by_error = last && last->error && *last->error <= chosen.method.tolerance &&
                        last->range > 0.0 && !(last->value <= chosen.method.absolute_tolerance);
  return by_error && !state.found_error && SteadyError::applies(chosen.problem, chosen.method);
}

bool has_been_evaluated(Case const& chosen) {
  return method_named(chosen.method.name).evaluates_residuals &&
         chosen.problem.precision == Precision::float64;
}

ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver) {
  MethodSettings const& method = run.chosen.method;
  SolverState const state = solver.state();
  // The claim already rests on the right residual, or there is no residual to check.
  if (has_been_evaluated(run.chosen) || !state.last_residual) return {};
  ConvergenceCheck check;
  check.residual = residual_in_float64(ranks, run, solver);
  if (!check.residual) {
    // Not enough memory. The claim is accepted in float64, but not in float32, whose source and
    // boundary values are rounded.
    check.converged = run.chosen.problem.precision == Precision::float64;
    return check;
  }
  // An estimated error is proportional to the residual. If the reported residual was 0, the ratio
  // is unknown and so is the error. The error that multigrid has found is that of the stored field.
  SolverState kept = state;
  Residual& last = *kept.last_residual;
  if (state.found_error) {
    last.error = state.found_error;
  } else if (last.error && *check.residual > last.value) {
    bool const is_scalable = last.value > 0.0;
    last.error =
        is_scalable ? std::optional(*last.error * (*check.residual / last.value)) : std::nullopt;
  }
  last.value = *check.residual;
  check.error = last.error;
  check.converged = claims_convergence(method, kept);
  return check;
}

}  // namespace isotherm::app
