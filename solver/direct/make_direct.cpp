#include "solver/direct/make_direct.hpp"

#include <string_view>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/direct_types.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/multigrid/multigrid_solver.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

Scheme direct_scheme(Problem const& problem, MethodSettings const& method) {
  std::string const obstacle = obstacle_to_direct(problem);
  if (!obstacle.empty()) {
    throw InputError("the method direct does not solve this problem: " + obstacle +
                     " (use multigrid)");
  }
  return multigrid_scheme(problem, method);
}

PassPlans direct_passes(mpi::Communicator const& /*ranks*/, Problem const& /*problem*/,
                        MethodSettings const& method, Subdomain const& /*subdomain*/,
                        Execution const& execution) {
  if (execution.plan != "auto") {
    throw PlanRefusal(method.name + " has no plans to choose from, so plan \"" + execution.plan +
                      R"(" does not apply (use "auto"))");
  }
  SweepPlan passes;
  passes.name = "transforms";
  return PassPlans(passes);
}

std::string transforms_in_words(Problem const& problem, Backend backend) {
  SeparableOperator const op = separable_operator(problem, backend);
  std::string text;
  char const* last_kind = nullptr;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (!op.along[axis].varies) continue;
    char const* const kind = op.kind(backend, axis);
    bool const is_same = last_kind != nullptr && std::string_view(kind) == last_kind;
    if (is_same) {
      text += " and ";
    } else {
      text += (text.empty() ? "" : ", ") + std::string(kind) + " along ";
    }
    text += "xyz"[axis];
    last_kind = kind;
  }
  return text;
}

std::unique_ptr<Solver> make_direct(SolverRequest const& request) {
  return with_direct_types(
      request.problem,
      [&]<class Real, class Dimension, class Grids>(Real, Dimension,
                                                    Grids) -> std::unique_ptr<Solver> {
        return std::make_unique<MultigridSolver<Real, Real, Dimension::value, Grids>>(request);
      });
}

bool grid_exceeds_any_memory(Problem const& problem) {
  Index3 const halo = FieldSpace<double>::halo_points_of(problem.grid, 1);
  return exceeds_any_memory(LocalBox{{}, problem.grid.points}.grown(halo));
}

std::size_t direct_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan) {
  if (grid_exceeds_any_memory(problem)) return uncountable_bytes;
  return with_direct_types(
      problem, [&]<class Real, class Dimension, class Grids>(Real, Dimension, Grids) {
        return multigrid_footprint<Real, Real, Dimension::value, Grids>(problem, method, plan);
      });
}

double direct_bytes_per_iteration(Problem const& problem, MethodSettings const& /*method*/) {
  int varying = 0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] > 1) ++varying;
  }
  double const transforms = 2.0 * (2.0 * varying - 1.0);
  double const residual = needs_source_field(problem) ? 5.0 : 4.0;
  return (transforms + residual) * static_cast<double>(value_bytes(problem.precision)) *
         static_cast<double>(problem.grid.point_count());
}

bool prefers_direct(Problem const& problem) {
  double const few_operations = is_heterogeneous(problem) ? 20000.0 : 2400.0;
  return direct_operations_per_point(problem) <= few_operations;
}

}  // namespace isotherm
