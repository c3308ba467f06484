#include "solver/time/implicit.hpp"

#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Checks the equation, the diffusivity, the extents of the grid and the time step.
/// @throws InputError, SettingError  as implicit_scheme() does
void check(Problem const& problem, MethodSettings const& method) {
  if (problem.equation != Equation::diffusion) {
    throw InputError("the method " + method.name + " does not solve the " + name(problem.equation) +
                     " equation (use multigrid)");
  }
  if (!(problem.diffusivity > 0.0) || !std::isfinite(problem.diffusivity)) {
    throw InputError("the diffusivity " + shortest(problem.diffusivity) +
                     " is not a positive number");
  }
  check_extents_of_cycles(problem.grid, method.name);
  if (auto const points = method.multigrid.coarsest) check_coarsest(problem.grid, *points);
  std::string const obstacle = method.direct_steps ? obstacle_to_direct(problem) : "";
  if (!obstacle.empty()) {
    throw SettingError("step_solver", "is \"direct\", but " + obstacle + " (use \"multigrid\")");
  }
  if (!(method.time_step_s > 0.0) || !std::isfinite(method.time_step_s)) {
    throw SettingError("time_step",
                       "is " + shortest(method.time_step_s) + " (needs a positive number)");
  }
}

}  // namespace

double sigma_of_step(Problem const& problem, MethodSettings const& method) {
  double const part_of_step = method.name == "crank_nicolson" ? 0.5 : 1.0;
  return 1.0 / (part_of_step * problem.diffusivity * method.time_step_s);
}

namespace {

/// Reports a time step whose coefficients overflow or underflow in float64.
[[noreturn]] void refuse_step(MethodSettings const& method) {
  throw SettingError(
      "time_step",
      "is " + shortest(method.time_step_s) +
          ", which is out of the range of float64 here (choose other units of length or time)");
}

/// Returns the scheme for a heterogeneous medium, in its own units (medium_units()). A step adds
/// the mass term σ c V to the conductances in the diagonal of each row.
Scheme medium_scheme(Problem const& problem, MethodSettings const& method) {
  double const unit = medium_units(problem).time();
  // Crank–Nicolson's operator is that of a backward Euler step of half the length.
  double const part_of_step = method.name == "crank_nicolson" ? 0.5 : 1.0;
  Scheme scheme;
  scheme.shift = unit / (part_of_step * method.time_step_s);
  scheme.residual_factor = 1.0 / unit;
  scheme.time_step_s = method.time_step_s;
  if (!std::isnormal(scheme.shift) || !std::isnormal(scheme.residual_factor)) refuse_step(method);
  return scheme;
}

}  // namespace

Scheme implicit_scheme(Problem const& problem, MethodSettings const& method) {
  check(problem, method);
  if (is_nonlinear(problem)) {
    check_nonlinear(problem);
    return implicit_scheme(reference_problem(problem), method);
  }
  if (is_heterogeneous(problem)) return medium_scheme(problem, method);
  double const sigma = sigma_of_step(problem, method);
  Scheme scheme;
  // Relative to the diagonal D (2 Σ h^-2 + σ): the weights of the neighbours and the shift sum
  // to 1.
  scheme.weight = relaxation_weights(problem.grid, sigma);
  scheme.shift = relaxation_shift(problem.grid, sigma);
  scheme.residual_factor = problem.diffusivity * diagonal(problem.grid, sigma);
  scheme.source_factor = 1.0 / scheme.residual_factor;
  scheme.time_step_s = method.time_step_s;
  if (!std::isnormal(sigma) || !std::isnormal(scheme.shift) ||
      !std::isnormal(scheme.residual_factor) || !std::isnormal(scheme.source_factor)) {
    refuse_step(method);
  }
  return scheme;
}

}  // namespace isotherm
