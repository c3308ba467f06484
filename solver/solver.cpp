#include "solver/solver.hpp"

#include <algorithm>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/text.hpp"
#include "solver/capacitance_matrix.hpp"
#include "solver/floating_solver.hpp"
#include "solver/floating_steps.hpp"
#include "solver/methods.hpp"
#include "solver/multigrid/make_multigrid.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/steady_error.hpp"

namespace isotherm {

namespace {

/// Refuses floating conductors that no equation determines.
void check_floating_regions(Problem const& problem) {
  // In time the initial values determine all others.
  if (problem.equation == Equation::diffusion) return;
  if (has_given_values(without_floating_regions(problem))) return;
  throw InputError(
      "nothing gives a value, so those of floating conductors are unique only up to a constant "
      "(needs a dirichlet or robin face, or a fixed region that does not float)");
}

/// Refuses terms that the equation does not have.
void check_equation(Problem const& problem) {
  bool const diffusion = problem.equation == Equation::diffusion;
  if (problem.equation == Equation::laplace && !problem.source.is_zero()) {
    throw InputError("the laplace equation has no source (use poisson)");
  }
  if (problem.sigma != 0.0) {
    throw InputError("a problem must have sigma = 0: solvers set it (use reaction)");
  }
  if (has_floating_regions(problem)) check_floating_regions(problem);
  if (!diffusion && varies_in_time(problem)) {
    throw InputError(std::string("the ") + name(problem.equation) +
                     " equation is steady: its source and boundary values cannot depend on the "
                     "time (use diffusion)");
  }
}

/// Refuses time steps for a method without time. @throws SettingError
void check_steps_in_time(Method const& row, MethodSettings const& method) {
  if (row.advances_time) return;
  TimeSteps const steps = time_steps_of(method);
  for (TimeSegment const& segment : steps.segments()) {
    if (segment.step_s == 0.0) continue;
    throw SettingError("time_step", "is " + shortest(segment.step_s) + ", but the method " +
                                        std::string(row.name) + " does not advance time");
  }
}

/// Checks the problem and the settings, and returns the scheme. Schemes check the stability of a
/// step, so one is made for every length of step.
Scheme checked_scheme(Problem const& problem, MethodSettings const& method) {
  // General checks come first, then those of the method.
  check_boundary(problem);
  check_equation(problem);
  check_time_dependence(problem);
  check_settings(method);
  Method const& row = method_named(method.name);
  if (is_nonlinear(problem) && !row.is_nonlinear) {
    throw InputError("the method " + std::string(row.name) +
                     " does not solve a problem whose coefficients depend on u or t (use " +
                     (problem.equation == Equation::diffusion ? "backward_euler or crank_nicolson"
                                                              : "multigrid") +
                     ")");
  }
  check_steps_in_time(row, method);
  if (has_floating_regions(problem) && row.advances_time) check_floating_steps(problem, method);
  // Steps may have several lengths, and each has to be stable.
  MethodSettings step = method;
  for (TimeSegment const& segment : method.time_steps.segments()) {
    step.time_step_s = segment.step_s;
    (void)row.scheme(problem, step);
  }
  return row.scheme(problem, method);
}

/// Returns this rank's part of the grid, after a check of the decomposition.
Subdomain subdomain_of(mpi::Communicator const& ranks, Problem const& problem,
                       Execution const& execution) {
  check_decomposition(problem.grid, execution.parts, ranks.size());
  return {problem.grid, execution.parts, ranks.rank()};
}

}  // namespace

void check_solvable(Problem const& problem, MethodSettings const& method) {
  (void)checked_scheme(problem, method);
}

SolverPlan plan_solver(mpi::Communicator const& ranks, Problem const& problem,
                       MethodSettings const& method, Execution const& execution) {
  Scheme const scheme = checked_scheme(problem, method);
  Subdomain const subdomain = subdomain_of(ranks, problem, execution);
  return {scheme, subdomain,
          method_named(method.name).passes(ranks, problem, method, subdomain, execution),
          execution};
}

std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, SolverPlan const& plan) {
  if (has_floating_regions(problem)) {
    if (method_named(method.name).advances_time) {
      return std::make_unique<FloatingSteps>(ranks, problem, method, plan);
    }
    return std::make_unique<FloatingSolver>(ranks, problem, method, plan);
  }
  std::unique_ptr<Solver> solver = method_named(method.name).make({ranks, problem, method, plan});
  if (SteadyError::applies(problem, method)) {
    solver->check_claims_by(check_by_multigrid(problem, method, plan.execution.parts));
  }
  return solver;
}

std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution) {
  return make_solver(ranks, problem, method, plan_solver(ranks, problem, method, execution));
}

std::vector<SweepPlan> sweep_plans_for(mpi::Communicator const& ranks, Problem const& problem,
                                       Execution const& execution) {
  std::vector<SweepPlan> plans =
      usable_plans(sweep_subject(problem, subdomain_of(ranks, problem, execution), execution));
  // Those of rank 0's plans that every rank has, so all ranks return the same list.
  std::vector<std::string> names;
  names.reserve(plans.size());
  for (SweepPlan const& plan : plans) names.push_back(plan.name);
  std::vector<SweepPlan> everywhere;
  for (std::string const& name : ranks.broadcast(names)) {
    auto const mine = std::ranges::find(plans, name, &SweepPlan::name);
    if (!ranks.any(mine == plans.end())) everywhere.push_back(*mine);
  }
  return everywhere;
}

SweepPlan sweep_plan_for(mpi::Communicator const& ranks, Problem const& problem,
                         Execution const& execution) {
  Subdomain const subdomain = subdomain_of(ranks, problem, execution);
  return PassPlans(ranks, problem, subdomain, execution).full();
}

std::size_t solver_host_bytes(Problem const& problem, MethodSettings const& method,
                              SolverPlan const& plan) {
  bool const on_device = plan.execution.backend == Backend::cuda;
  if (!on_device || method.multigrid.hierarchy != HierarchyKind::aggregates) return 0;
  return hierarchy_host_bytes(is_nonlinear(problem) ? reference_problem(problem) : problem, method,
                              plan);
}

std::size_t solver_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan) {
  // Fused steps need a halo of that depth.
  std::int64_t const depth = plan.passes.full().steps;
  Index3 const halo{depth, depth, problem.grid.dimension == 3 ? depth : 0};
  if (exceeds_any_memory(plan.subdomain.owned().grown(halo))) return uncountable_bytes;
  // Small device allocations have a page to themselves, part of which remains unused.
  bool const on_device = plan.execution.backend == Backend::cuda;
  std::size_t const left_over = on_device ? std::size_t{2} << 20 : 0;
  std::size_t const own = method_named(method.name).bytes(problem, method, plan) + left_over;
  if (!has_floating_regions(problem)) return own;
  bool const in_time = method_named(method.name).advances_time;
  return sum_of_bytes(own, in_time ? floating_steps_bytes(problem, method, plan)
                                   : capacitance_bytes(problem, plan));
}

double bytes_per_iteration(Problem const& problem, MethodSettings const& method) {
  return method_named(method.name).bytes_per_iteration(problem, method);
}

}  // namespace isotherm
