#include "solver/steady_error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/floating_regions.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/level/unknowns/connected_components.hpp"
#include "solver/level/unknowns/fixed_points.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/solver.hpp"

namespace isotherm {

namespace {

/// Maximum number of cycles. A solution by conjugate gradients rarely needs more than 50.
constexpr std::int64_t max_cycles = 100;
/// The accuracy of the correction, relative to its norm.
constexpr double accuracy = 0.1;

/// Returns the function divided by a number.
ScalarFunction divided(ScalarFunction const& function, double divisor) {
  ScalarFunction result = function;
  result.constant /= divisor;
  if (function.evaluate) {
    result.evaluate = [evaluate = function.evaluate, divisor](double x, double y, double z,
                                                              double t) {
      return evaluate(x, y, z, t) / divisor;
    };
  }
  return result;
}

/// Returns the equation that a steady field satisfies.
Problem steady_problem(Problem problem) {
  // c u_t = D ∇·κ∇u + f becomes −D ∇·κ∇u = f. A heterogeneous medium has D in its conductances.
  if (problem.equation == Equation::diffusion && !is_heterogeneous(problem)) {
    problem.source = divided(problem.source, problem.diffusivity);
    problem.diffusivity = 1.0;
  }
  problem.equation = Equation::poisson;
  problem.precision = Precision::float64;
  problem.initial = {};
  // A constant that nothing fixes is no part of the error.
  problem.project = true;
  return problem;
}

/// Returns settings of cycles that end only at the rounding floor, with the hierarchy of the given
/// ones.
MethodSettings cycles(MethodSettings const& method) {
  MethodSettings result;
  result.name = "multigrid";
  result.iterations = max_cycles;
  result.check_every = 1;
  result.tolerance = std::numeric_limits<double>::min();
  result.norm = method.norm;
  result.multigrid.hierarchy = method.multigrid.hierarchy;
  return result;
}

/// Returns an execution on the CPU with this decomposition.
Execution on_cpu(Extent3 const& parts) {
  Execution where;
  where.parts = parts;
  return where;
}

/// Subtracts from the values of each floating component their mean, weighted by heat capacity.
/// Collective.
void subtract_free_means(mpi::Communicator const& ranks, Problem const& problem,
                         Subdomain const& subdomain, std::span<double> values) {
  if (!may_have_null_space(problem)) return;
  Grid const& grid = problem.grid;
  ConnectedComponents const components = is_heterogeneous(problem)
                                             ? find_floating_components(ranks, problem, subdomain)
                                             : ConnectedComponents{{}, {Index3{}}};
  if (components.first.empty()) return;
  GlobalBox const owned = subdomain.owned_global();
  auto const widths = volume_widths(grid, medium_units(problem), owned);
  auto const each = [&](auto const& visit) {
    std::int64_t point = 0;
    for (std::int64_t k = owned.lower.z; k < owned.upper.z; ++k) {
      for (std::int64_t j = owned.lower.y; j < owned.upper.y; ++j) {
        for (std::int64_t i = owned.lower.x; i < owned.upper.x; ++i, ++point) {
          std::int32_t const component = components.of(point);
          if (component == ConnectedComponents::held) continue;
          visit(static_cast<std::size_t>(component), Index3{i, j, k},
                values[static_cast<std::size_t>(point)]);
        }
      }
    }
  };
  // The sums of values and of capacities, component by component.
  std::size_t const count = components.first.size();
  std::vector<double> sums(2 * count);
  auto const width = [&](int axis, std::int64_t from) {
    return widths[axis][static_cast<std::size_t>(from)];
  };
  each([&](std::size_t component, Index3 p, double value) {
    Index3 const from = p - owned.lower;
    double const capacity = width(0, from.x) * width(1, from.y) * width(2, from.z) *
                            value_at(problem.medium.capacity, grid, p);
    sums[component] += capacity * value;
    sums[count + component] += capacity;
  });
  sums = ranks.sum(std::move(sums));
  each([&](std::size_t component, Index3, double& value) {
    value -= sums[component] / sums[count + component];
  });
}

}  // namespace

bool SteadyError::applies(Problem const& problem, MethodSettings const& method) {
  // Residuals of steady methods that evaluate them in float64 need no confirmation.
  Method const& chosen = method_named(method.name);
  bool const is_slow = chosen.advances_time || !chosen.evaluates_residuals;
  return is_slow && method.tolerance > 0.0 && method.relative_to == RelativeTo::field &&
         !varies_in_time(problem);
}

SteadyError::SteadyError(mpi::Communicator const& ranks, Problem const& problem,
                         MethodSettings const& method, Extent3 const& parts)
    : ranks_(ranks),
      problem_(steady_problem(problem)),
      method_(cycles(method)),
      plan_(plan_solver(ranks, problem_, method_, on_cpu(parts))) {}

std::size_t SteadyError::bytes() const {
  auto const points = static_cast<std::size_t>(plan_.subdomain.owned().point_count());
  // The field before and after the cycles, and temporarily the solver's values in its own
  // precision.
  std::size_t const copies = product_of_bytes(points, 3 * sizeof(double));
  // The numbers of components.
  std::size_t const components =
      may_have_null_space(problem_) ? product_of_bytes(points, 2 * sizeof(std::int32_t)) : 0;
  // Aggregates may replace coarser grids.
  MethodSettings largest = method_;
  if (largest.multigrid.hierarchy == HierarchyKind::automatic) {
    largest.multigrid.hierarchy = HierarchyKind::aggregates;
  }
  Problem const solved = with_floating_values(problem_);
  std::size_t const of_solver =
      std::max(solver_bytes(solved, method_, plan_), solver_bytes(solved, largest, plan_));
  return sum_of_bytes(sum_of_bytes(of_solver, copies), components);
}

double SteadyError::norm(std::span<double const> change, std::int64_t unknowns) const {
  Change mine;
  for (double const value : change) {
    mine.largest = std::max(mine.largest, std::abs(value));
    mine.sum_of_squares += value * value;
  }
  if (method_.norm == Norm::max) return largest_change(ranks_, mine);
  return std::sqrt(ranks_.sum(mine.sum_of_squares) /
                   static_cast<double>(std::max<std::int64_t>(unknowns, 1)));
}

std::vector<double> SteadyError::floating_values_of(ConstValues const& field) const {
  if (!has_floating_regions(problem_)) return {};
  return FloatingRegions(ranks_, problem_, plan_.subdomain).values_in(ranks_, field);
}

std::optional<double> SteadyError::norm_of_error(Solver& solver, double enough) const {
  // Start multigrid from the solver's field.
  HostValues before = values_in_float64(solver);
  // Floating conductors have the values of the field, whose error is bounded elsewhere.
  std::vector<double> const floating = floating_values_of(std::as_const(before).view());
  Problem const problem = with_floating_values(problem_, floating);
  std::int64_t const unknowns =
      unknown_count(problem_) - FixedPoints<double>(problem_, plan_.subdomain).count_of_all(ranks_);
  auto const multigrid = make_solver(ranks_, problem, method_, plan_);
  multigrid->set_initial(std::as_const(before).view());
  // set_initial() has set the boundary values in float64; the solver's are rounded to its
  // precision.
  multigrid->read_field(before.view());
  // The correction after each cycle is the error of the field, up to the error that is left.
  auto const from = span_of<double>(before.view());
  std::vector<double> change(from.size());
  for (std::int64_t cycle = 1; cycle <= max_cycles; ++cycle) {
    multigrid->advance_to(cycle);
    multigrid->read_field(std::span(change));
    std::ranges::transform(change, from, change.begin(), std::minus<>());
    subtract_free_means(ranks_, problem_, plan_.subdomain, change);
    double const size = norm(change, unknowns);
    Residual const last = *multigrid->state().last_residual;
    bool const at_floor = multigrid->stalled() || multigrid->converged();
    if (last.error) {
      double const left = *last.error * last.range;
      if (left <= accuracy * std::max(size, enough)) return size;
      // At the rounding floor no cycle is more accurate.
      if (at_floor) return std::max(size, left);
    }
    if (at_floor) return last.value == 0.0 ? std::optional(size) : std::nullopt;
  }
  return std::nullopt;
}

ErrorCheck check_by_multigrid(Problem const& problem, MethodSettings const& method,
                              Extent3 const& parts) {
  return [problem, method, parts](mpi::Communicator const& ranks, Solver& solver,
                                  double enough) -> std::optional<double> {
    try {
      return SteadyError(ranks, problem, method, parts).norm_of_error(solver, enough);
    } catch (InputError const&) {  // on every rank
      return std::nullopt;
    }
  };
}

HostValues values_in_float64(Solver& solver) {
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  HostValues wide(Precision::float64, points);
  if (std::holds_alternative<FieldView<double const>>(solver.field_view())) {
    solver.read_field(wide.view());
    return wide;
  }
  HostValues own(Precision::float32, points);
  solver.read_field(own.view());
  std::ranges::copy(span_of<float const>(std::as_const(own).view()),
                    span_of<double>(wide.view()).begin());
  return wide;
}

}  // namespace isotherm
