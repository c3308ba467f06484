#include "solver/nonlinear/make_nonlinear.hpp"

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/make_multigrid.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/nonlinear/nonlinear_solver.hpp"

namespace isotherm {

Scheme nonlinear_scheme(Problem const& problem, MethodSettings const& method) {
  check_nonlinear(problem);
  return multigrid_scheme(reference_problem(problem), method);
}

std::unique_ptr<Solver> make_nonlinear(SolverRequest const& request) {
  Problem const reference = reference_problem(request.problem);
  SolverRequest const linear{request.ranks, reference, request.method, request.plan};
  return with_newton_types(
      reference, request.method,
      [&]<class Correction, class Dimension>(Correction, Dimension) -> std::unique_ptr<Solver> {
        return std::make_unique<NonlinearSolver<Correction, Dimension::value>>(linear,
                                                                               request.problem);
      });
}

std::size_t nonlinear_footprint(Problem const& reference, SolverPlan const& plan) {
  Backend const backend = plan.execution.backend;
  Index3 const halo = FieldSpace<double>::halo_points_of(reference.grid, 1);
  return Field<double>::footprint(backend, plan.subdomain.extent(), halo) +
         FieldSpace<double>::footprint(backend, plan.subdomain, 1, plan.execution.transport) +
         initial_footprint(reference, backend) + ResidualMonitor::footprint(backend) +
         RangeMeter::footprint(backend);
}

std::size_t nonlinear_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan) {
  Problem const reference = reference_problem(problem);
  if (levels_exceed_any_memory(reference, method, plan)) return uncountable_bytes;
  return with_newton_types(
      reference, method, [&]<class Correction, class Dimension>(Correction, Dimension) {
        using Iteration = Newton<Correction, Dimension::value>;
        return nonlinear_footprint(reference, plan) +
               Iteration::footprint(reference, reference, plan, method.multigrid) +
               Iteration::derivative_footprint(problem, plan);
      });
}

}  // namespace isotherm
