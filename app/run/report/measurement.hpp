#pragma once

#include <cstdint>
#include <optional>

#include "case/case.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// The division of a run's time among its activities, in seconds.
///
/// Wall and solve time are those of the slowest rank, the others are means over the ranks. The
/// parts do not add up to the wall time: the difference is start-up and waiting for other ranks.
struct TimeSplit {
  double wall_s = 0.0;       ///< since the run was prepared
  double solve_s = 0.0;      ///< in the iterations, without output
  double compute_s = 0.0;    ///< in the solver, without halos and reductions (SolverTimes)
  double halo_s = 0.0;       ///< exchange of ghost layers
  double reduction_s = 0.0;  ///< norms over all ranks
  double output_s = 0.0;     ///< waiting for files
};

/// The speed of a run, and the speed of plain copies in memory as its upper bound.
struct Performance {
  TimeSplit time;
  std::int64_t iterations = 0;     ///< of this run, without those of the run it resumes
  double points_per_second = 0.0;  ///< point updates, over all ranks
  double bytes_per_second = 0.0;   ///< minimum memory traffic of these updates
  /// Read and written by plain copies on all devices. Not measured for fields of less than a
  /// million points: they fit into caches, so their share of the memory's bandwidth means nothing.
  std::optional<double> copy_bytes_per_second;
  /// Ratio of the last two rates, a roofline efficiency.
  [[nodiscard]] std::optional<double> share_of_copy() const {
    if (copy_bytes_per_second.value_or(0.0) <= 0.0) return {};
    return bytes_per_second / *copy_bytes_per_second;
  }
};

/// Combines the clocks of all ranks. If the field is large, measures the copy rate of all devices
/// simultaneously, in memory that the solver left free. Collective.
/// @param iterations  done in `own.solve_s` seconds
/// @param own         this rank's times
Performance measure_performance(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                                std::int64_t iterations, TimeSplit own);

}  // namespace isotherm::app
