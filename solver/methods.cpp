#include "solver/methods.hpp"

#include <algorithm>
#include <array>

#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/resident_footprint.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/iteration/iteration.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"
#include "solver/multigrid/make_multigrid.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/nonlinear/make_nonlinear.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/relaxation/jacobi.hpp"
#include "solver/time/ftcs.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/make_implicit.hpp"
#include "solver/time/make_rkl2.hpp"
#include "solver/time/rkl2.hpp"

namespace isotherm {

namespace {

/// Makes the solver of a stationary or explicit method from a rule (update and operator).
template <class Update, class Operator>
std::unique_ptr<Solver> iterate(SolverRequest const& request,
                                StencilRule<Update, Operator> const& rule,
                                typename Iteration<Update, Operator>::RuleOfStep const& rule_of) {
  return std::make_unique<Iteration<Update, Operator>>(request, static_cast<Update const&>(rule),
                                                       static_cast<Operator const&>(rule), rule_of);
}

/// Chooses the operator of Jacobi relaxation: separable, heterogeneous, or constant coefficients.
template <class Real, int dimension>
std::unique_ptr<Solver> iterate_jacobi(SolverRequest const& request) {
  if (is_separable(request.problem))
    return iterate(request, SeparableJacobiRule<Real, dimension>{}, {});
  if (is_heterogeneous(request.problem))
    return iterate(request, HeterogeneousJacobiRule<Real, dimension>{}, {});
  return iterate(request, jacobi_rule<Real, dimension>(request.plan.scheme), {});
}

/// Makes an explicit solver for a heterogeneous medium. Its operator does not depend on the step
/// length, only the update does.
template <class Operator>
std::unique_ptr<Solver> iterate_finite_volumes(SolverRequest const& request) {
  using Real = typename Operator::Real;
  using Rule = StencilRule<FiniteVolumeEuler<Real>, Operator>;
  // For another step length, only scheme and update are computed again.
  return iterate(
      request,
      Rule{finite_volume_euler<Real>(request.problem, request.plan.scheme.time_step_s), {}},
      [problem = request.problem, method = request.method](double step_s) {
        MethodSettings step = method;
        step.time_step_s = step_s;
        return StepRule<FiniteVolumeEuler<Real>, Operator>{
            ftcs_scheme(problem, step), finite_volume_euler<Real>(problem, step_s), {}};
      });
}

/// Chooses the operator of FTCS: separable, heterogeneous, or constant coefficients.
template <class Real, int dimension>
std::unique_ptr<Solver> iterate_ftcs(SolverRequest const& request) {
  if (is_separable(request.problem))
    return iterate_finite_volumes<SeparableConductances<Real, dimension>>(request);
  if (is_heterogeneous(request.problem))
    return iterate_finite_volumes<Conductances<Real, dimension>>(request);
  using Rule = FtcsRule<Real, dimension>;
  return iterate(
      request, ftcs_rule<Real, dimension>(request.plan.scheme),
      [problem = request.problem, method = request.method](double step_s) {
        // With constant coefficients the operator depends on the step length, too.
        MethodSettings step = method;
        step.time_step_s = step_s;
        Scheme const scheme = ftcs_scheme(problem, step);
        Rule const rule = ftcs_rule<Real, dimension>(scheme);
        return StepRule<Euler<Real>, ConstantWeights<Real, dimension>>{scheme, rule, rule};
      });
}

/// Instantiates Jacobi relaxation for the problem's precision and dimension.
std::unique_ptr<Solver> make_jacobi(SolverRequest const& request) {
  return with_precision(request.problem.precision, [&]<class Real>(Real) {
    return request.problem.grid.dimension == 2 ? iterate_jacobi<Real, 2>(request)
                                               : iterate_jacobi<Real, 3>(request);
  });
}

/// Instantiates FTCS for the problem's precision and dimension.
std::unique_ptr<Solver> make_ftcs(SolverRequest const& request) {
  return with_precision(request.problem.precision, [&]<class Real>(Real) {
    return request.problem.grid.dimension == 2 ? iterate_ftcs<Real, 2>(request)
                                               : iterate_ftcs<Real, 3>(request);
  });
}

/// Returns the plans of a method that sweeps from check to check.
PassPlans sweeps(mpi::Communicator const& ranks, Problem const& problem,
                 MethodSettings const& /*method*/, Subdomain const& subdomain,
                 Execution const& execution) {
  return {ranks, problem, subdomain, execution};
}

/// Returns an upper bound on the bytes that an Iteration allocates.
std::size_t iteration_bytes(Problem const& problem, MethodSettings const& /*method*/,
                            SolverPlan const& plan) {
  Execution const& where = plan.execution;
  Extent3 const owned = plan.subdomain.extent();
  std::size_t const level = with_precision(problem.precision, [&]<class Real>(Real) {
    return level_footprint<Real>(problem, plan.subdomain, where.backend, plan.passes.full().steps,
                                 where.transport);
  });
  // Resident sweeps allocate memory of their own.
  std::size_t const resident =
      plan.passes.resident() ? resident_footprint(where.backend, problem.precision, owned) : 0;
  return level + resident + ResidualMonitor::footprint(where.backend) +
         RangeMeter::footprint(where.backend);
}

/// Returns the least memory traffic of a sweep. It reads the field, the source and conductances if
/// they are fields, and writes the field.
double sweep_bytes(Problem const& problem, MethodSettings const& /*method*/) {
  // Separable coefficients are rows, which caches hold.
  double const medium =
      is_heterogeneous(problem) && !is_separable(problem) ? problem.grid.dimension : 0;
  double const touched = (needs_source_field(problem) ? 3.0 : 2.0) + medium;
  return touched * static_cast<double>(value_bytes(problem.precision)) *
         static_cast<double>(problem.grid.point_count());
}

// Multigrid also solves the linear problems of Newton's method.
Scheme steady_scheme(Problem const& problem, MethodSettings const& method) {
  return is_nonlinear(problem) ? nonlinear_scheme(problem, method)
                               : multigrid_scheme(problem, method);
}
std::unique_ptr<Solver> make_steady(SolverRequest const& request) {
  return is_nonlinear(request.problem) ? make_nonlinear(request) : make_multigrid(request);
}
std::size_t steady_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan) {
  return is_nonlinear(problem) ? nonlinear_bytes(problem, method, plan)
                               : multigrid_bytes(problem, method, plan);
}
double steady_bytes_per_iteration(Problem const& problem, MethodSettings const& method) {
  return cycle_bytes(is_nonlinear(problem) ? reference_problem(problem) : problem, method);
}

// Keys of the section [method] in case files, by method.
constexpr std::array<std::string_view, 1> jacobi_keys{"iterations"};
constexpr std::array<std::string_view, 1> direct_keys{"iterations"};
constexpr std::array<std::string_view, 8> multigrid_keys{
    "iterations", "cycle", "smoother", "pre", "post", "cycle_precision", "coarsest", "hierarchy"};
constexpr std::array<std::string_view, 7> ftcs_keys{
    "steps", "end_time", "start_time", "time_step", "time_steps", "stable_fraction", "stop"};
constexpr std::array<std::string_view, 7> rkl2_keys{
    "steps", "end_time", "start_time", "time_step", "time_steps", "stages", "stop"};
constexpr std::array<std::string_view, 18> implicit_keys{
    "steps",      "end_time",      "start_time",      "time_step",   "time_steps", "time_tolerance",
    "first_step", "shortest_step", "step_tolerance",  "step_solver", "cycle",      "smoother",
    "pre",        "post",          "cycle_precision", "coarsest",    "hierarchy",  "stop"};

// A new method is one more row.
constexpr std::array all_methods{
    Method{"jacobi", false, "iterations", jacobi_keys, false, false, jacobi_scheme, sweeps,
           make_jacobi, iteration_bytes, sweep_bytes},
    Method{"multigrid", false, "iterations", multigrid_keys, true, true, steady_scheme,
           multigrid_passes, make_steady, steady_bytes, steady_bytes_per_iteration},
    Method{"direct", false, "iterations", direct_keys, true, false, direct_scheme, direct_passes,
           make_direct, direct_bytes, direct_bytes_per_iteration},
    Method{"ftcs", true, "steps or end_time", ftcs_keys, false, false, ftcs_scheme, sweeps,
           make_ftcs, iteration_bytes, sweep_bytes},
    Method{"rkl2", true, "steps or end_time", rkl2_keys, false, false, rkl2_scheme, rkl2_passes,
           make_rkl2, rkl2_bytes, rkl2_bytes_per_step},
    Method{"backward_euler", true, "steps or end_time", implicit_keys, true, true, implicit_scheme,
           implicit_passes, make_implicit, implicit_bytes, implicit_bytes_per_iteration},
    Method{"crank_nicolson", true, "steps or end_time", implicit_keys, true, true, implicit_scheme,
           implicit_passes, make_implicit, implicit_bytes, implicit_bytes_per_iteration},
};

}  // namespace

std::span<Method const> methods() { return all_methods; }

Method const& method_named(std::string_view name) {
  auto const* const found = std::ranges::find(all_methods, name, &Method::name);
  if (found != all_methods.end()) return *found;
  std::string valid;
  for (Method const& method : all_methods) {
    valid += (valid.empty() ? "" : ", ") + std::string(method.name);
  }
  throw InputError("there is no method \"" + std::string(name) + "\" (valid methods: " + valid +
                   ")");
}

Method const& default_method(Equation equation, bool to_tolerance) {
  if (equation == Equation::diffusion) return method_named("ftcs");
  // Without a tolerance, the simplest method runs the given number of iterations.
  return method_named(to_tolerance ? "multigrid" : "jacobi");
}

bool has_plans(Method const& method) { return method.passes == sweeps; }

bool solves(Method const& method, Equation equation) {
  return method.advances_time == (equation == Equation::diffusion);
}

}  // namespace isotherm
