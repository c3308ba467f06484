#include "solver/nonlinear/make_nonlinear.hpp"

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/make_multigrid.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/nonlinear/nonlinear_solver.hpp"

namespace isotherm {

namespace {

/// Calls `action` with a zero of the corrections' type and the dimension as an integral constant.
template <class Action>
auto with_types(Problem const& reference, MethodSettings const& method, Action const& action) {
  auto const with_dimension = [&](auto correction) {
    return reference.grid.dimension == 2 ? action(correction, std::integral_constant<int, 2>{})
                                         : action(correction, std::integral_constant<int, 3>{});
  };
  return correction_precision(reference, method) == Precision::float32 ? with_dimension(float{})
                                                                       : with_dimension(double{});
}

}  // namespace

Scheme nonlinear_scheme(Problem const& problem, MethodSettings const& method) {
  check_nonlinear(problem);
  return multigrid_scheme(reference_problem(problem), method);
}

std::unique_ptr<Solver> make_nonlinear(SolverRequest const& request) {
  Problem const reference = reference_problem(request.problem);
  SolverRequest const linear{request.ranks, reference, request.method, request.plan};
  return with_types(
      reference, request.method,
      [&]<class Correction, class Dimension>(Correction, Dimension) -> std::unique_ptr<Solver> {
        return std::make_unique<NonlinearSolver<Correction, Dimension::value>>(linear,
                                                                               request.problem);
      });
}

std::size_t nonlinear_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan) {
  Problem const reference = reference_problem(problem);
  if (levels_exceed_any_memory(reference, method, plan)) return uncountable_bytes;
  return with_types(
      reference, method, [&]<class Correction, class Dimension>(Correction, Dimension) {
        constexpr int dimension = Dimension::value;
        Backend const backend = plan.execution.backend;
        Extent3 const n = plan.subdomain.extent();
        Index3 const halo = FieldSpace<double>::halo_points_of(reference.grid, 1);
        // The field, its residual, the step and the reaction term.
        std::size_t bytes = 4 * Field<double>::footprint(backend, n, halo);
        bytes +=
            FieldSpace<double>::footprint(backend, plan.subdomain, 1, plan.execution.transport);
        bytes += initial_footprint(reference, backend) + ResidualMonitor::footprint(backend);
        bytes += ChangeReader::footprint(backend, 1) + RangeMeter::footprint(backend);
        bytes += NonlinearOperator<dimension>::footprint(reference, plan.subdomain, backend);
        bytes +=
            DefectCorrection<double, Correction, dimension,
                             HeterogeneousGrids<Correction, dimension>>::footprint(reference, plan,
                                                                                   method
                                                                                       .multigrid);
        // Three host arrays of values: those of the field before and after a step, and the step.
        auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
        return backend == Backend::cpu ? bytes + 3 * points * sizeof(double) : bytes;
      });
}

}  // namespace isotherm
