#include "solver/direct/make_direct.hpp"

#include <optional>
#include <string_view>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/direct_types.hpp"
#include "solver/direct/smooth/smooth_correction.hpp"
#include "solver/direct/smooth/smooth_medium.hpp"
#include "solver/direct/time_model.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/multigrid/multigrid_solver.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// The problem whose operator is solved directly. It is the given one, or a copy if a steady
/// problem has a constant reaction coefficient, which becomes σ. Refers to the given problem.
class DirectProblem {
 public:
  explicit DirectProblem(Problem const& given) : problem_(&given) {
    bool const is_steady = given.equation != Equation::diffusion;
    if (!is_steady || given.reaction.is_zero() || !given.reaction.is_constant()) return;
    copy_ = given;
    copy_->sigma = given.reaction.constant;
    copy_->reaction = 0.0;
    problem_ = &*copy_;
  }
  DirectProblem(DirectProblem const&) = delete;
  DirectProblem& operator=(DirectProblem const&) = delete;

  [[nodiscard]] Problem const& get() const { return *problem_; }

 private:
  Problem const* problem_;
  std::optional<Problem> copy_{};
};

/// Calls `action` with a zero of the field's type, one of the corrections' type, the dimension as
/// an integral constant, and the building blocks of the solver. Returns its result.
template <class Action>
auto with_method_types(Problem const& problem, MethodSettings const& method, Action const& action) {
  if (is_separable_problem(problem)) {
    return with_direct_types(problem, [&]<class Real, class Dimension, class Grids>(
                                          Real real, Dimension dimension, Grids grids) {
      return action(real, real, dimension, grids);
    });
  }
  return with_cycle_types(problem, method,
                          [&]<class Real, class Correction, class Dimension>(
                              Real real, Correction correction, Dimension dimension) {
                            return action(real, correction, dimension,
                                          SmoothGrids<Correction, Dimension::value>{});
                          });
}

}  // namespace

bool is_separable_problem(Problem const& problem) {
  return obstacle_to_direct(DirectProblem(problem).get()).empty();
}

std::string obstacle_to_method(Problem const& problem) {
  std::string const obstacle = obstacle_to_direct(DirectProblem(problem).get());
  if (obstacle.empty()) return "";
  std::string const other = obstacle_to_preconditioner(problem);
  if (other.empty()) return "";
  return other == obstacle ? obstacle : obstacle + ", and " + other;
}

Scheme direct_scheme(Problem const& problem, MethodSettings const& method) {
  std::string const obstacle = obstacle_to_method(problem);
  if (!obstacle.empty()) {
    throw InputError("the method direct does not solve this problem: " + obstacle +
                     " (use multigrid)");
  }
  return multigrid_scheme(DirectProblem(problem).get(), method);
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

std::string transforms_in_words(Problem const& problem, Backend backend, int ranks) {
  if (!is_separable_problem(problem)) {
    return transforms_in_words(smooth_reference(problem), backend, ranks);
  }
  SeparableOperator const op = separable_operator(DirectProblem(problem).get(), backend, ranks);
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
  DirectProblem const direct(request.problem);
  Problem const& problem = direct.get();
  return with_method_types(
      problem, request.method,
      [&]<class Real, class Correction, class Dimension, class Grids>(
          Real, Correction, Dimension, Grids) -> std::unique_ptr<Solver> {
        return std::make_unique<MultigridSolver<Real, Correction, Dimension::value, Grids>>(
            SolverRequest{request.ranks, problem, request.method, request.plan});
      });
}

bool grid_exceeds_any_memory(Problem const& problem) {
  Index3 const halo = FieldSpace<double>::halo_points_of(problem.grid, 1);
  return exceeds_any_memory(LocalBox{{}, problem.grid.points}.grown(halo));
}

std::size_t direct_bytes(Problem const& given, MethodSettings const& method,
                         SolverPlan const& plan) {
  DirectProblem const direct(given);
  Problem const& problem = direct.get();
  if (grid_exceeds_any_memory(problem)) return uncountable_bytes;
  return with_method_types(problem, method,
                           [&]<class Real, class Correction, class Dimension, class Grids>(
                               Real, Correction, Dimension, Grids) {
                             return multigrid_footprint<Real, Correction, Dimension::value, Grids>(
                                 problem, method, plan);
                           });
}

double direct_bytes_per_iteration(Problem const& given, MethodSettings const& method) {
  DirectProblem const direct(given);
  Problem const& problem = direct.get();
  int varying = 0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] > 1) ++varying;
  }
  double const passes = 2.0 * (2.0 * varying - 1.0);
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const points = static_cast<double>(problem.grid.point_count());
  if (is_separable_problem(problem)) {
    return (passes + values_of_residual(problem)) * field * points;
  }
  auto const correction = static_cast<double>(value_bytes(correction_precision(problem, method)));
  // The six values are those of the two scalings.
  return (conjugate_gradient_bytes(problem, field, correction) + (passes + 6.0) * correction) *
         points;
}

bool prefers_direct(Problem const& problem, Backend backend, RanksOnHosts const& by) {
  SolutionTimes const times = estimate_times(DirectProblem(problem).get(), backend, by);
  return times.direct.total_s() <= times.multigrid.total_s();
}

}  // namespace isotherm
