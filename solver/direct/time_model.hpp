#pragma once

#include "kernels/core/queue/queue.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Estimated seconds of a method.
struct SolutionTime {
  double solve_s = 0.0;   ///< from a zero field to a tolerance of 1e-8
  double set_up_s = 0.0;  ///< modes of a direct solver, coefficients of multigrid

  [[nodiscard]] double total_s() const { return solve_s + set_up_s; }
};

/// Estimated times of the methods. They are times of one machine (docs/explanation/direct.md), so
/// only their ratio means something on another one.
struct SolutionTimes {
  SolutionTime direct;     ///< infinite if the problem cannot be solved directly
  SolutionTime multigrid;  ///< with the default cycles
};

/// The ranks that share a grid, and the hosts on which they run.
struct RanksOnHosts {
  int ranks = 1;
  int hosts = 1;
};

/// Estimates the times from the bytes that each method moves, the operations of dense transforms,
/// the number of passes and the set-up of modes. A medium that direct solutions only precondition
/// takes several solutions. If ranks share the grid, a direct solution moves two values of each
/// line that remains cut, or else all values twice, and all values twice more if slabs are not the
/// parts of the field; multigrid waits for halos.
SolutionTimes estimate_times(Problem const& problem, Backend backend, RanksOnHosts const& by = {});

/// Returns the number of values per point that a direct solution reads and writes in addition to
/// the transforms: the residual, the correction and the update.
double values_of_residual(Problem const& problem);

/// The speed of a machine, for the estimates.
struct MachineSpeed {
  double copy;             ///< bytes per second that copies read and write
  double dense;            ///< operations per second of dense transforms in float64
  double dense_float32;    ///< and in float32
  double pass_s;           ///< start of a pass
  double share_of_ffts;    ///< rate of passes with fast Fourier transforms, relative to copies
  double share_of_cycles;  ///< the same of multigrid cycles with constant coefficients
  double share_of_medium_cycles;  ///< and of those in a heterogeneous medium
  double medium_set_up_s;         ///< set-up of multigrid for a heterogeneous medium, per point
  double exchange;   ///< bytes per second that leave a GPU, or a host's rank, for others
  double network;    ///< the same to other hosts
  double message_s;  ///< time until the halo of a small grid has arrived
};
/// Returns the measured speed of a backend.
MachineSpeed speed_of(Backend backend);

}  // namespace isotherm
