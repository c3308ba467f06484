#include "jobs/run/convergence_check.hpp"

#include <algorithm>
#include <cmath>

#include "jobs/machine/memory_limits.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

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
  // A sweep takes less memory than cycles; what it cannot solve is nevertheless measured by cycles.
  bool const steady = !method_named(method.name).advances_time;
  if (steady && has_given_values(problem)) method.name = "jacobi";
  method.iterations = iteration + 1;
  method.check_every = 1;
  method.tolerance = method.absolute_tolerance = 0.0;
  Execution where;
  where.parts = run.plan.execution.parts;
  where.plan = method_named(method.name).evaluates_residuals ? "auto" : "plain";
  SolverPlan const plan = plan_solver(ranks, problem, method, where);
  auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
  std::size_t const copies =
      points * (value_bytes(Precision::float64) + value_bytes(run.chosen.problem.precision));
  if (!fits_on_all(ranks, Device{}, {solver_bytes(problem, method, plan), copies}))
    return std::nullopt;
  HostValues const values = in_float64(solver, run.chosen.problem.precision);
  auto const evaluator = make_solver(ranks, problem, method, plan);
  evaluator->restore(values.view(), {iteration, {}, {}});
  bool const by_sweep = !method_named(method.name).evaluates_residuals;
  evaluator->advance_to(by_sweep ? iteration + 1 : iteration);
  auto const last = evaluator->state().last_residual;
  require(last && last->iteration == iteration, "the residual of the last field was not measured");
  return last->value;
}

}  // namespace

bool has_been_evaluated(Case const& chosen) {
  return method_named(chosen.method.name).evaluates_residuals &&
         chosen.problem.precision == Precision::float64;
}

ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver) {
  MethodSettings const& method = run.chosen.method;
  SolverState const state = solver.state();
  if (has_been_evaluated(run.chosen) || !state.last_residual) return {};
  ConvergenceCheck check;
  check.residual = residual_in_float64(ranks, run, solver);
  if (!check.residual) {
    check.converged = run.chosen.problem.precision == Precision::float64;
    return check;
  }
  // The error is in proportion to the residual.
  SolverState kept = state;
  Residual& last = *kept.last_residual;
  if (last.error && *check.residual > last.value) {
    bool const told = last.value > 0.0;
    last.error = told ? std::optional(*last.error * (*check.residual / last.value)) : std::nullopt;
  }
  last.value = *check.residual;
  check.converged = claims_convergence(method, kept);
  return check;
}

}  // namespace isotherm
