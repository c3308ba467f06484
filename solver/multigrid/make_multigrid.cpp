#include "solver/multigrid/make_multigrid.hpp"

#include <algorithm>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/precision.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/multigrid_solver.hpp"

namespace isotherm {

namespace {

/// Returns the name of a cycle in the literature's notation: shape(sweeps before, sweeps after the
/// coarse-grid correction).
std::string cycle_name(MultigridSettings const& settings) {
  char const* const shape = settings.cycle == Cycle::v   ? "V"
                            : settings.cycle == Cycle::f ? "F"
                                                         : "W";
  return std::string(shape) + '(' + std::to_string(settings.pre) + ',' +
         std::to_string(settings.post) + ')';
}

}  // namespace

PassPlans multigrid_passes(mpi::Communicator const& /*ranks*/, Problem const& /*problem*/,
                           MethodSettings const& method, Subdomain const& /*subdomain*/,
                           Execution const& execution) {
  if (execution.plan != "auto") {
    throw PlanRefusal(method.name + " chooses the plans of its levels itself, so plan \"" +
                      execution.plan + R"(" does not apply (use "auto"))");
  }
  SweepPlan cycle;
  cycle.name = cycle_name(method.multigrid);
  return PassPlans(cycle);
}

std::unique_ptr<Solver> make_multigrid(SolverRequest const& request) {
  return with_cycle_types(
      request.problem, request.method,
      [&]<class Real, class Correction, class Dimension>(Real, Correction,
                                                         Dimension) -> std::unique_ptr<Solver> {
        return with_grids<Correction, Dimension::value>(
            request.problem, [&]<class Grids>(Grids) -> std::unique_ptr<Solver> {
              return std::make_unique<MultigridSolver<Real, Correction, Dimension::value, Grids>>(
                  request);
            });
      });
}

bool levels_exceed_any_memory(Problem const& problem, MethodSettings const& method,
                              SolverPlan const& plan) {
  // A level held by every rank has all of its points here, and ghost layers.
  return std::ranges::any_of(
      plan_levels(problem, plan.subdomain, plan.execution.backend, method.multigrid.coarsest),
      [](LevelPlan const& level) {
        Index3 const halo = FieldSpace<double>::halo_points_of(level.problem.grid, level.depth);
        return exceeds_any_memory(level.subdomain.owned().grown(halo));
      });
}

namespace {

/// Returns the bytes of a problem's types: bytes(real, correction, dimension, grids), whose
/// arguments have the types. `uncountable_bytes` if levels_exceed_any_memory().
template <class Bytes>
std::size_t bytes_of_types(Problem const& problem, MethodSettings const& method,
                           SolverPlan const& plan, Bytes const& bytes) {
  if (levels_exceed_any_memory(problem, method, plan)) return uncountable_bytes;
  return with_cycle_types(problem, method,
                          [&]<class Real, class Correction, class Dimension>(
                              Real real, Correction correction, Dimension dimension) {
                            return with_grids<Correction, Dimension::value>(
                                problem, [&]<class Grids>(Grids grids) {
                                  return bytes(real, correction, dimension, grids);
                                });
                          });
}

}  // namespace

std::size_t hierarchy_host_bytes(Problem const& problem, MethodSettings const& method,
                                 SolverPlan const& plan) {
  return bytes_of_types(problem, method, plan, [&]<class Grids>(auto, auto, auto, Grids) {
    return Hierarchy<Grids>::host_footprint(problem, plan.subdomain, method.multigrid,
                                            plan.execution.backend);
  });
}

std::size_t multigrid_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan) {
  return bytes_of_types(problem, method, plan,
                        [&]<class Real, class Correction, class Dimension, class Grids>(
                            Real, Correction, Dimension, Grids) {
                          return multigrid_footprint<Real, Correction, Dimension::value, Grids>(
                              problem, method, plan);
                        });
}

}  // namespace isotherm
