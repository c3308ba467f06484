#include "solver/direct/time_model.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/core/precision.hpp"
#include "kernels/transforms/axis_transform.hpp"
#include "solver/direct/axis_modes_of_pencil.hpp"
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

/// The machine that solves a problem. Ranks count on GPUs only: on CPUs the default must not depend
/// on them, and exchanging values takes a small part of the time.
class Machine {
 public:
  Machine(Backend backend, RanksOnHosts const& by)
      : backend_(backend),
        by_(backend == Backend::cuda ? by : RanksOnHosts{}),
        speed_(speed_of(backend)) {}

  [[nodiscard]] Backend backend() const { return backend_; }
  /// Returns the speed of one unit.
  [[nodiscard]] MachineSpeed const& speed() const { return speed_; }
  /// Returns the points of the grid for each GPU.
  [[nodiscard]] double points(Problem const& problem) const {
    return static_cast<double>(problem.grid.point_count()) / by_.ranks;
  }
  /// Returns the number of ranks that share the grid.
  [[nodiscard]] int ranks() const { return by_.ranks; }
  /// Returns the seconds that one direct solution spends on moving values to other ranks.
  /// @param bytes  of a value
  /// @param cut_axis  the axis whose lines remain cut, −1 if lines are moved
  [[nodiscard]] double exchange_s(Problem const& problem, double bytes, int cut_axis) const {
    if (by_.ranks == 1) return 0.0;
    // The GPUs of one host have slabs already; see choose_parts().
    bool const has_slabs = by_.hosts == 1;
    double const to_slabs = has_slabs ? 0.0 : 2.0;
    // Two values of each line in either direction, instead of all of them.
    double const to_lines =
        cut_axis < 0 ? 2.0 : 4.0 * by_.ranks / static_cast<double>(problem.grid.points[cut_axis]);
    double const moved = (to_slabs + to_lines) * bytes * points(problem);
    double const to_hosts = 1.0 - 1.0 / by_.hosts;
    double const to_ranks = 1.0 - 1.0 / by_.ranks;
    return moved * (to_hosts / speed_.network + (to_ranks - to_hosts) / speed_.exchange);
  }
  /// Returns the seconds that a pass over a level waits for the halo.
  [[nodiscard]] double halo_s() const { return by_.ranks == 1 ? 0.0 : speed_.message_s; }

 private:
  Backend backend_;
  RanksOnHosts by_;
  MachineSpeed speed_;
};

/// Returns the seconds that computing the modes of the axes takes on the host, by a thread for each
/// axis.
double set_up_of_modes(Problem const& problem, Backend backend) {
  SeparableOperator const op = separable_operator(problem, backend);
  double seconds = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (!has_pencil_modes(op, axis)) continue;
    auto const n = static_cast<double>(op.along[axis].count);
    seconds = std::max(seconds, n * n * n / cubes_per_second);
  }
  return seconds;
}

/// Returns the operations per point of an axis, to modes and back or for one solution of
/// tridiagonal systems, in addition to passes at the rate of memory. On devices, tridiagonal lines
/// that are too long for shared memory take as long as a number of operations.
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
double transforms_s(Problem const& problem, Machine const& machine, double bytes) {
  MachineSpeed const& speed = machine.speed();
  Backend const backend = machine.backend();
  SeparableOperator const op = separable_operator(problem, backend, machine.ranks());
  int const last = op.last_axis();
  bool const is_cut = cuts_lines(problem, op, machine.ranks());
  double const points = machine.points(problem);
  double const pass = 2.0 * bytes * points / speed.copy;
  double const rate = bytes < 8.0 ? speed.dense_float32 : speed.dense;
  double seconds = machine.exchange_s(problem, bytes, is_cut ? last : -1);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const& along = op.along[axis];
    if (!along.varies) continue;
    std::string_view const kind = op.kind(backend, axis);
    // The last axis has one pass for both directions, unless its lines are cut.
    double const passes = axis == last && !is_cut ? 1.0 : 2.0;
    double const share = kind == DenseTransform<double>::name() ? 1.0 : speed.share_of_ffts;
    // Tridiagonal systems are solved in each pass, transforms in one of two directions.
    double const times = kind == TridiagonalSolve<double>::name() ? passes : 1.0;
    seconds +=
        passes * (pass / share + speed.pass_s) + times * operations_of(along, kind) * points / rate;
  }
  return seconds;
}

/// Returns the number of solutions to 1e-8. The bound on the error needs one, the estimate two. In
/// float64 the rounding of one solution is below it (docs/explanation/direct.md).
double usual_solutions(Problem const& problem) {
  return is_heterogeneous(problem) || problem.precision == Precision::float32 ? 2.0 : 1.0;
}

/// Returns the time of a solution that is exact up to rounding.
SolutionTime exact_time(Problem const& problem, Machine const& machine) {
  MachineSpeed const& speed = machine.speed();
  auto const bytes = static_cast<double>(value_bytes(problem.precision));
  double const residual = values_of_residual(problem) * bytes * machine.points(problem);
  double const once = transforms_s(problem, machine, bytes) + residual / speed.copy + speed.pass_s;
  return {usual_solutions(problem) * once, set_up_of_modes(problem, machine.backend())};
}

/// Returns the usual number of steps of conjugate gradients with direct solutions.
double usual_steps(Problem const& problem) {
  bool const has_fluxes = std::ranges::any_of(faces(problem.grid), [&](Face face) {
    return problem.grid.points[face.axis] > 1 &&
           (is(problem, face, BoundaryKind::neumann) || is(problem, face, BoundaryKind::robin));
  });
  return has_fluxes ? usual_steps_with_fluxes : usual_preconditioned_steps;
}

/// Returns the time of conjugate gradients with direct solutions as the preconditioner.
SolutionTime preconditioned_time(Problem const& problem, Machine const& machine) {
  MachineSpeed const& speed = machine.speed();
  Problem const reference = smooth_reference(problem);
  double const points = machine.points(problem);
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction =
      static_cast<double>(value_bytes(correction_precision(problem, MethodSettings{})));
  // The six values are those of the two scalings.
  double const bytes = conjugate_gradient_bytes(problem, field, correction) + 6.0 * correction;
  double const step = transforms_s(reference, machine, correction) +
                      bytes * points / (speed.share_of_medium_cycles * speed.copy) +
                      8.0 * speed.pass_s;
  return {usual_steps(problem) * step,
          set_up_of_modes(reference, machine.backend()) + speed.medium_set_up_s * points};
}

/// Returns the time of a solution by multigrid.
SolutionTime multigrid_time(Problem const& problem, Machine const& machine) {
  MachineSpeed const& speed = machine.speed();
  MethodSettings const usual;
  bool const medium = is_heterogeneous(problem);
  double const cycles = medium ? usual_medium_cycles : usual_cycles;
  double const share = medium ? speed.share_of_medium_cycles : speed.share_of_cycles;
  auto const levels =
      static_cast<double>(correction_problems(problem, usual.multigrid.coarsest).size());
  auto const all_points = static_cast<double>(problem.grid.point_count());
  double const part = machine.points(problem) / all_points;
  double const cycle = part * cycle_bytes(problem, usual) / (share * speed.copy) +
                       levels * passes_of_level * (speed.pass_s + machine.halo_s());
  double const set_up = medium ? speed.medium_set_up_s * part * all_points : 0.0;
  return {cycles * cycle, set_up};
}

}  // namespace

double values_of_residual(Problem const& problem) {
  return needs_source_field(problem) ? 5.0 : 4.0;
}

MachineSpeed speed_of(Backend backend) {
  // Fits to the times in docs/explanation/performance.md: two threads of a server's processor, and
  // one or two NVIDIA H100 or H200. Networks have not been measured: 50 GB/s per GPU.
  constexpr MachineSpeed cpu{20e9, 45e9, 90e9, 2e-6, 0.3, 0.24, 0.24, 4e-8, 0.0, 0.0, 0.0};
  constexpr MachineSpeed cuda{3e12, 3.5e13, 2.6e13, 6e-6, 0.8, 0.6, 0.75, 4e-9, 2.2e11, 5e10, 6e-6};
  return backend == Backend::cuda ? cuda : cpu;
}

SolutionTimes estimate_times(Problem const& problem, Backend backend, RanksOnHosts const& by) {
  Machine const machine(backend, by);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  SolutionTimes times;
  times.multigrid = multigrid_time(problem, machine);
  times.direct = is_separable_problem(problem)         ? exact_time(problem, machine)
                 : obstacle_to_method(problem).empty() ? preconditioned_time(problem, machine)
                                                       : SolutionTime{infinite, 0.0};
  return times;
}

}  // namespace isotherm
