#include "solver/time/make_rkl2.hpp"

#include "solver/level/level.hpp"
#include "solver/time/rkl2_solver.hpp"

namespace isotherm {

namespace {

/// Makes the solver for constant, separable or other variable coefficients.
template <class Real, int dimension>
std::unique_ptr<Solver> make_rkl2_of(SolverRequest const& request) {
  if (is_separable(request.problem)) {
    return std::make_unique<Rkl2Solver<SeparableConductances<Real, dimension>>>(request);
  }
  if (is_heterogeneous(request.problem)) {
    return std::make_unique<Rkl2Solver<Conductances<Real, dimension>>>(request);
  }
  return std::make_unique<Rkl2Solver<ConstantWeights<Real, dimension>>>(request);
}

}  // namespace

PassPlans rkl2_passes(mpi::Communicator const& /*ranks*/, Problem const& /*problem*/,
                      MethodSettings const& method, Subdomain const& /*subdomain*/,
                      Execution const& execution) {
  if (execution.plan != "auto") {
    throw PlanRefusal(method.name + " has no kernel variants, so plan \"" + execution.plan +
                      R"(" does not apply (use "auto"))");
  }
  SweepPlan stages;
  stages.name = "stages";
  return PassPlans(stages);
}

std::unique_ptr<Solver> make_rkl2(SolverRequest const& request) {
  return with_precision(request.problem.precision, [&]<class Real>(Real) {
    return request.problem.grid.dimension == 2 ? make_rkl2_of<Real, 2>(request)
                                               : make_rkl2_of<Real, 3>(request);
  });
}

std::size_t rkl2_bytes(Problem const& problem, MethodSettings const& /*method*/,
                       SolverPlan const& plan) {
  Execution const& where = plan.execution;
  return with_precision(problem.precision, [&]<class Real>(Real) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
    // In addition to the fields of a level: the field before the step and its rate of change.
    return level_footprint<Real>(problem, plan.subdomain, where.backend, 1, where.transport) +
           2 * Field<Real>::footprint(where.backend, plan.subdomain.extent(), halo) +
           ResidualMonitor::footprint(where.backend) + RangeMeter::footprint(where.backend);
  });
}

double rkl2_bytes_per_step(Problem const& problem, MethodSettings const& method) {
  // A stage reads Y_{j−1}, Y_{j−2}, Y_0 and its rate, and writes Y_j.
  double const medium =
      is_heterogeneous(problem) && !is_separable(problem) ? problem.grid.dimension : 0;
  double const touched = (needs_source_field(problem) ? 6.0 : 5.0) + medium;
  int const stages = rkl2_stage_count(method.time_step_s, stable_step(problem, method));
  return stages * touched * static_cast<double>(value_bytes(problem.precision)) *
         static_cast<double>(problem.grid.point_count());
}

}  // namespace isotherm
