#include "app/machine/tuning/unit_problem.hpp"

#include <fmt/format.h>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/time/ftcs.hpp"

namespace isotherm::app {

// A grid with one point in z is two-dimensional. Neumann faces are insulated, since the default
// value of a boundary condition is 0. Without a source, thousands of sweeps between Dirichlet faces
// of value 0 would leave subnormal numbers, with which a CPU computes a hundred times more slowly.
Problem unit_problem(Extent3 points, Precision precision, Equation equation, BoundaryKind boundary,
                     bool source) {
  int const dimension = points.z == 1 ? 2 : 3;
  PerAxis<BoundaryKind> kinds{boundary, boundary, boundary};
  if (equation != Equation::diffusion) {
    // The last axis of a steady problem must have Dirichlet faces.
    kinds[dimension - 1] = BoundaryKind::dirichlet;
  }
  double const rest = source ? 0.0 : 1.0;  // which the field approaches, unless there is a source
  PerAxis<bool> periodic{};
  Problem problem;
  problem.initial.value = rest;
  for (int axis = 0; axis < dimension; ++axis) {
    BoundaryKind const kind = kinds[axis];
    periodic[axis] = kind == BoundaryKind::periodic;
    for (bool const upper : {false, true}) {
      BoundaryCondition& face = problem.boundary[{axis, upper}];
      face.kind = kind;
      if (kind == BoundaryKind::dirichlet) face.value = rest;
    }
  }
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1, 1, 1}, periodic);
  problem.precision = precision;
  problem.equation = source && equation == Equation::laplace ? Equation::poisson : equation;
  problem.source = source ? 1.0 : 0.0;
  return problem;
}

InputError without_unknowns(Extent3 points, int axis) {
  return InputError(fmt::format("--grid has {} points on the {} axis, so no value is unknown",
                                points[axis], "xyz"[axis]));
}

void require_unknowns(Problem const& problem) {
  LocalBox const unknown = unknown_points(problem, Subdomain(problem.grid, {1, 1, 1}, 0));
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (unknown.extent()[axis] > 0) continue;
    throw without_unknowns(problem.grid.points, axis);
  }
}

MethodSettings endless_method(Problem const& problem) {
  MethodSettings method;
  method.iterations = max_iterations;
  method.check_every = 0;
  // For diffusion: half of the longest stable step of the explicit method.
  if (problem.equation == Equation::diffusion) {
    method.name = "ftcs";
    method.longest_step_s = largest_stable_time_step(problem);
    method.time_step_s = 0.5 * method.longest_step_s;
  }
  return method;
}

}  // namespace isotherm::app
