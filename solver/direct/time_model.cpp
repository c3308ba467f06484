#include "solver/direct/time_model.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/core/precision.hpp"
#include "kernels/transforms/axis_transform.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/direct/smooth/smooth_medium.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/levels/cycle_bytes.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Usual numbers of iterations to 1e-8 (docs/explanation/performance.md). With constant
/// coefficients the full-multigrid initial guess counts as a part of a cycle.
constexpr double usual_cycles = 4.6;
constexpr double usual_medium_cycles = 7.0;
constexpr double usual_preconditioned_steps = 7.0;
/// The same if some faces are Neumann or Robin ones. The normal derivative of the conductivity adds
/// a term on such a face, which slows convergence down.
constexpr double usual_steps_with_fluxes = 11.0;
/// Passes of a cycle over each level.
constexpr double passes_of_level = 8.0;
/// The modes of a pencil of n points take n³ / cubes_per_second on one thread of the host: 0.04 s
/// for 512 points, 0.32 s for 1024.
constexpr double cubes_per_second = 3.4e9;

/// Returns the seconds that computing the modes of the axes takes on the host.
double set_up_of_modes(Problem const& problem, Backend backend) {
  SeparableOperator const op = separable_operator(problem, backend);
  double seconds = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const& along = op.along[axis];
    if (!along.varies || along.ends || axis == op.tridiagonal) continue;
    auto const n = static_cast<double>(along.count);
    seconds += n * n * n / cubes_per_second;
  }
  return seconds;
}

/// Returns the operations per point of an axis, to modes and back, in addition to a pass at the
/// rate of memory. On devices, tridiagonal lines that are too long for shared memory take as long
/// as a number of operations.
double operations_of(AxisOperator const& along, std::string_view kind) {
  constexpr std::int64_t long_line = 16384;
  if (kind == TridiagonalSolve<double>::name()) return along.count > long_line ? 5000.0 : 20.0;
  if (kind == FftTransform<double>::name()) return 0.0;
  bool const is_mirrored =
      along.ends && (*along.ends == AxisEnds::dirichlet || *along.ends == AxisEnds::neumann ||
                     *along.ends == AxisEnds::periodic);
  return (is_mirrored ? 2.0 : 4.0) * static_cast<double>(along.count);
}

/// Returns the seconds of one solution by transforms, without set-up and residual.
/// @param bytes  of a value
double transforms_s(Problem const& problem, Backend backend, double bytes) {
  MachineSpeed const speed = speed_of(backend);
  SeparableOperator const op = separable_operator(problem, backend);
  auto const points = static_cast<double>(problem.grid.point_count());
  double const pass = 2.0 * bytes * points / speed.copy;
  double const rate = bytes < 8.0 ? speed.dense_float32 : speed.dense;
  double seconds = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const& along = op.along[axis];
    if (!along.varies) continue;
    std::string_view const kind = op.kind(backend, axis);
    // The last axis has one pass for both directions.
    double const passes = axis == op.last_axis() ? 1.0 : 2.0;
    double const share = kind == DenseTransform<double>::name() ? 1.0 : speed.share_of_ffts;
    seconds += passes * (pass / share + speed.pass_s) + operations_of(along, kind) * points / rate;
  }
  return seconds;
}

/// Returns the seconds of a solution that is exact up to rounding.
double exact_s(Problem const& problem, Backend backend) {
  MachineSpeed const speed = speed_of(backend);
  auto const bytes = static_cast<double>(value_bytes(problem.precision));
  double const residual =
      values_of_residual(problem) * bytes * static_cast<double>(problem.grid.point_count());
  double const once = transforms_s(problem, backend, bytes) + residual / speed.copy + speed.pass_s;
  // The bound on the error needs one solution, the estimate two.
  double const solutions = is_heterogeneous(problem) ? 2.0 : 1.0;
  return solutions * once + set_up_of_modes(problem, backend);
}

/// Returns the usual number of steps of conjugate gradients with direct solutions.
double usual_steps(Problem const& problem) {
  bool const has_fluxes = std::ranges::any_of(faces(problem.grid), [&](Face face) {
    return problem.grid.points[face.axis] > 1 &&
           (is(problem, face, BoundaryKind::neumann) || is(problem, face, BoundaryKind::robin));
  });
  return has_fluxes ? usual_steps_with_fluxes : usual_preconditioned_steps;
}

/// Returns the seconds of conjugate gradients with direct solutions as the preconditioner.
double preconditioned_s(Problem const& problem, Backend backend) {
  MachineSpeed const speed = speed_of(backend);
  Problem const reference = smooth_reference(problem);
  auto const points = static_cast<double>(problem.grid.point_count());
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction =
      static_cast<double>(value_bytes(correction_precision(problem, MethodSettings{})));
  // The six values are those of the two scalings.
  double const bytes = conjugate_gradient_bytes(problem, field, correction) + 6.0 * correction;
  double const step = transforms_s(reference, backend, correction) +
                      bytes * points / (speed.share_of_medium_cycles * speed.copy) +
                      8.0 * speed.pass_s;
  return usual_steps(problem) * step + set_up_of_modes(reference, backend) +
         speed.medium_set_up_s * points;
}

/// Returns the seconds of a solution by multigrid.
double multigrid_s(Problem const& problem, Backend backend) {
  MachineSpeed const speed = speed_of(backend);
  MethodSettings const usual;
  bool const medium = is_heterogeneous(problem);
  double const cycles = medium ? usual_medium_cycles : usual_cycles;
  double const share = medium ? speed.share_of_medium_cycles : speed.share_of_cycles;
  auto const levels =
      static_cast<double>(correction_problems(problem, usual.multigrid.coarsest).size());
  double const cycle =
      cycle_bytes(problem, usual) / (share * speed.copy) + levels * passes_of_level * speed.pass_s;
  double const set_up =
      medium ? speed.medium_set_up_s * static_cast<double>(problem.grid.point_count()) : 0.0;
  return cycles * cycle + set_up;
}

}  // namespace

double values_of_residual(Problem const& problem) {
  return needs_source_field(problem) ? 5.0 : 4.0;
}

MachineSpeed speed_of(Backend backend) {
  // Fits to the times in docs/explanation/performance.md: two threads of a server's processor, and
  // one NVIDIA H100.
  constexpr MachineSpeed cpu{20e9, 45e9, 90e9, 2e-6, 0.3, 0.24, 0.24, 4e-8};
  constexpr MachineSpeed cuda{3e12, 3.5e13, 2.6e13, 6e-6, 0.8, 0.6, 0.75, 4e-9};
  return backend == Backend::cuda ? cuda : cpu;
}

SolutionTimes estimate_times(Problem const& problem, Backend backend) {
  SolutionTimes times;
  times.multigrid_s = multigrid_s(problem, backend);
  times.direct_s = is_separable_problem(problem)         ? exact_s(problem, backend)
                   : obstacle_to_method(problem).empty() ? preconditioned_s(problem, backend)
                                                         : std::numeric_limits<double>::infinity();
  return times;
}

}  // namespace isotherm
