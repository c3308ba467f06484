#pragma once

#include <cstdint>

#include "jobs/case/case.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Where the seconds of a run went. Wall time is the slowest rank's, the rest the mean over the
/// ranks; what is left between them is start-up and waiting for each other.
struct TimeSplit {
  double wall_s = 0.0;   ///< since the program was told to run the case
  double solve_s = 0.0;  ///< in the iterations, output left out
  double compute_s = 0.0;
  double halo_s = 0.0;
  double reduction_s = 0.0;
  double output_s = 0.0;
};

/// How fast a run was, and how fast the devices could have been.
struct Performance {
  TimeSplit time;
  std::int64_t iterations = 0;         ///< of this run, resumed ones left out
  double points_per_second = 0.0;      ///< updated, over all ranks
  double bytes_per_second = 0.0;       ///< that these updates read and write at least
  double copy_bytes_per_second = 0.0;  ///< read and written by plain copies on all devices
  [[nodiscard]] double share_of_copy() const {
    return copy_bytes_per_second > 0.0 ? bytes_per_second / copy_bytes_per_second : 0.0;
  }
};

/// Puts the clocks of all ranks together and measures the copy rate of all devices at once, in
/// memory that the solver left free. Collective.
/// @param iterations  done in `solve_s` seconds
Performance measure_performance(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                                std::int64_t iterations, TimeSplit own);

}  // namespace isotherm
