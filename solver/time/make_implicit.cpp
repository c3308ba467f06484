#include "solver/time/make_implicit.hpp"

#include "kernels/core/byte_count.hpp"
#include "solver/direct/direct_types.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"
#include "solver/multigrid/make_multigrid.hpp"
#include "solver/nonlinear/make_nonlinear.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/implicit_solver.hpp"
#include "solver/time/nonlinear_steps.hpp"

namespace isotherm {

namespace {

/// Calls `action` with a zero of the field's type, one of the corrections' type, the dimension as
/// an integral constant, and the building blocks of the solver of each step.
template <class Action>
auto with_step_types(Problem const& problem, MethodSettings const& method, Action const& action) {
  if (method.direct_steps) {
    return with_direct_types(problem, [&]<class Real, class Dimension, class Grids>(
                                          Real real, Dimension dimension, Grids grids) {
      return action(real, real, dimension, grids);
    });
  }
  return with_cycle_types(
      problem, method,
      [&]<class Real, class Correction, class Dimension>(Real real, Correction correction,
                                                         Dimension dimension) {
        return with_grids<Correction, Dimension::value>(
            problem, [&](auto grids) { return action(real, correction, dimension, grids); });
      });
}

/// Makes the solver of a problem whose coefficients depend on the field.
std::unique_ptr<Solver> make_nonlinear_steps(SolverRequest const& request) {
  Problem const reference = reference_problem(request.problem);
  SolverRequest const linear{request.ranks, reference, request.method, request.plan};
  return with_newton_types(
      reference, request.method,
      [&]<class Correction, class Dimension>(Correction, Dimension) -> std::unique_ptr<Solver> {
        return std::make_unique<NonlinearSteps<Correction, Dimension::value>>(linear,
                                                                              request.problem);
      });
}

/// Returns an upper bound on the bytes that it allocates.
std::size_t nonlinear_steps_bytes(Problem const& problem, MethodSettings const& method,
                                  SolverPlan const& plan) {
  Problem const reference = reference_problem(problem);
  if (levels_exceed_any_memory(reference, method, plan)) return uncountable_bytes;
  return with_newton_types(
      reference, method, [&]<class Correction, class Dimension>(Correction, Dimension) {
        using Steps = NonlinearSteps<Correction, Dimension::value>;
        // Seven more host arrays: the field before the step, and before one that is checked, the
        // flows at its begin, and what Newton keeps to find a minimum. Three more if steps are
        // divided.
        auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
        std::size_t const arrays = method.adaptive.tolerance > 0.0 ? 10 : 7;
        std::size_t const bytes =
            plan.execution.backend == Backend::cpu ? arrays * points * sizeof(double) : 0;
        using Iteration = Newton<Correction, Dimension::value>;
        return bytes + nonlinear_footprint(reference, plan) +
               Iteration::footprint(reference, Steps::problem_of_step(reference, plan.scheme), plan,
                                    method.multigrid) +
               Iteration::derivative_footprint(problem, plan);
      });
}

}  // namespace

std::unique_ptr<Solver> make_implicit(SolverRequest const& request) {
  if (is_nonlinear(request.problem)) return make_nonlinear_steps(request);
  return with_step_types(
      request.problem, request.method,
      [&]<class Real, class Correction, class Dimension, class Grids>(
          Real, Correction, Dimension, Grids) -> std::unique_ptr<Solver> {
        return std::make_unique<ImplicitSolver<Real, Correction, Dimension::value, Grids>>(request);
      });
}

PassPlans implicit_passes(mpi::Communicator const& ranks, Problem const& problem,
                          MethodSettings const& method, Subdomain const& subdomain,
                          Execution const& execution) {
  return multigrid_passes(ranks, problem, method, subdomain, execution);
}

std::size_t implicit_bytes(Problem const& problem, MethodSettings const& method,
                           SolverPlan const& plan) {
  if (is_nonlinear(problem)) return nonlinear_steps_bytes(problem, method, plan);
  bool const exceeds = method.direct_steps ? grid_exceeds_any_memory(problem)
                                           : levels_exceed_any_memory(problem, method, plan);
  if (exceeds) return uncountable_bytes;
  return with_step_types(problem, method,
                         [&]<class Real, class Correction, class Dimension, class Grids>(
                             Real, Correction, Dimension, Grids) {
                           return implicit_footprint<Real, Correction, Dimension::value, Grids>(
                               problem, method, plan);
                         });
}

double implicit_bytes_per_iteration(Problem const& problem, MethodSettings const& method) {
  if (is_nonlinear(problem)) return cycle_bytes(reference_problem(problem), method);
  // A direct step that adds its change reads the correction and the field, and writes the field.
  // The evaluation of its rate is a part of the direct solution.
  if (method.direct_steps && !is_heterogeneous(problem)) {
    return direct_bytes_per_iteration(problem, method) +
           static_cast<double>(value_bytes(problem.precision)) *
               static_cast<double>(problem.grid.point_count());
  }
  // In addition to the cycle, a step reads the field once and writes the history. It then evaluates
  // the residual before and after the cycle, each time from the field and the history.
  // cycle_bytes() contains one of these two evaluations.
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction =
      method.direct_steps ? field
                          : static_cast<double>(value_bytes(correction_precision(problem, method)));
  double const history = (needs_source_field(problem) ? 3.0 : 2.0) * field;
  double const evaluated_again = 2.0 * field + correction;
  double const solution = method.direct_steps ? direct_bytes_per_iteration(problem, method)
                                              : cycle_bytes(problem, method);
  return solution + (history + evaluated_again) * static_cast<double>(problem.grid.point_count());
}

}  // namespace isotherm
