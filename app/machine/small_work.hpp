#pragma once

#include <cstdint>

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm::app {

/// The work of a run, as far as the choice between the CPU and a GPU depends on it.
struct Work {
  std::int64_t points = 0;  ///< of the whole grid
  double passes = 1.0;      ///< passes over all points
  /// Time that a GPU takes to launch a pass, in seconds.
  double launch_s = 40e-6;
};

/// Returns the work of a run. A case without a number of iterations counts as 10 passes if it is
/// solved directly, else as 100; a time step of an implicit method as 50.
/// @param ranks  number of ranks, which decides whether a grid stays on the chip
Work work_of_run(Problem const& problem, MethodSettings const& method, int ranks);

/// Returns true if CPU threads end the work before a GPU does.
///
/// The estimate has cautious round numbers: a GPU starts in 0.2 s and launches each pass, and its
/// arithmetic takes no time. A thread computes 10⁸ points a second, which is a low rate, and starts
/// a pass in 5 µs. So a GPU wins in doubt.
/// @param threads  of all ranks
bool cpu_is_faster(Work const& work, double threads);

}  // namespace isotherm::app
