#include "solver/time/ftcs.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Checks a time step against the largest stable one.
/// @throws SettingError  if the time step is not positive, or unstable
void check_time_step(double time_step_s, double largest) {
  constexpr double roundings = 1e-12;  // a step meant to be the limit may exceed it by these
  if (!(time_step_s > 0.0) || !std::isfinite(time_step_s)) {
    throw SettingError("time_step", "is " + shortest(time_step_s) + " (needs a positive number)");
  }
  if (time_step_s > largest * (1.0 + roundings)) {
    throw SettingError("time_step", "is " + shortest(time_step_s) +
                                        ", which is unstable: the largest stable time step is " +
                                        shortest(largest) +
                                        " (backward_euler and crank_nicolson allow longer ones)");
  }
}

}  // namespace

void check_explicit(Problem const& problem, std::string const& method) {
  if (problem.equation != Equation::diffusion) {
    throw InputError("the method " + method + " does not solve the " + name(problem.equation) +
                     " equation (use jacobi)");
  }
  if (!(problem.diffusivity > 0.0) || !std::isfinite(problem.diffusivity)) {
    throw InputError("the diffusivity " + shortest(problem.diffusivity) +
                     " is not a positive number");
  }
}

double largest_stable_time_step(Problem const& problem) {
  if (is_heterogeneous(problem)) return 1.0 / inverse_stable_step(problem);
  return largest_stable_time_step(problem.grid, problem.diffusivity);
}

double checked_time_step(double time_step_s, double largest) {
  check_time_step(time_step_s, largest);
  return std::min(time_step_s, largest);
}

Scheme ftcs_scheme(Problem const& problem, MethodSettings const& method) {
  check_explicit(problem, "ftcs");
  double const time_step_s = method.time_step_s;
  bool const known = is_heterogeneous(problem) && std::isfinite(method.longest_step_s);
  // The limit of a heterogeneous medium needs a pass over all points, unless the settings have it.
  check_time_step(time_step_s, known ? method.longest_step_s : largest_stable_time_step(problem));
  Scheme scheme;
  if (!is_heterogeneous(problem))
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      double const spacing = problem.grid.spacing[axis];
      scheme.weight[axis] = problem.diffusivity * time_step_s / (spacing * spacing);
    }
  scheme.source_factor = time_step_s;
  scheme.residual_factor = 1.0 / time_step_s;
  scheme.time_step_s = time_step_s;
  return scheme;
}

}  // namespace isotherm
