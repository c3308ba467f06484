#include "solver/time/ftcs.hpp"

#include <cmath>

#include "kernels/core/error.hpp"
#include "solver/problem/text.hpp"

namespace isotherm {

namespace {

/// A time step on the limit may come out a few roundings above it.
constexpr double rounding_allowance = 1e-9;

void check(Problem const& problem, double time_step_s) {
  if (problem.equation != Equation::diffusion) {
    throw InputError(std::string("the method ftcs does not solve the ") + name(problem.equation) +
                     " equation (use jacobi)");
  }
  if (!(problem.diffusivity > 0.0) || !std::isfinite(problem.diffusivity)) {
    throw InputError("the diffusivity " + shortest(problem.diffusivity) +
                     " is not a positive number");
  }
  if (!(time_step_s > 0.0) || !std::isfinite(time_step_s)) {
    throw InputError("the time step " + shortest(time_step_s) + " is not a positive number");
  }
  double const largest = largest_stable_time_step(problem.grid, problem.diffusivity);
  if (time_step_s > largest * (1.0 + rounding_allowance)) {
    throw InputError("the time step " + shortest(time_step_s) +
                     " is not stable (the largest stable one is " + shortest(largest) + ")");
  }
}

}  // namespace

Scheme ftcs_scheme(Problem const& problem, double time_step_s) {
  check(problem, time_step_s);
  Scheme scheme;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    auto const d = static_cast<std::size_t>(axis);
    double const spacing = problem.grid.spacing[d];
    scheme.weight[d] = problem.diffusivity * time_step_s / (spacing * spacing);
  }
  scheme.source_factor = time_step_s;
  scheme.residual_factor = 1.0 / time_step_s;
  scheme.time_step_s = time_step_s;
  return scheme;
}

}  // namespace isotherm
