#pragma once

#include <cstdint>

#include "jobs/run/prepared_run.hpp"

namespace isotherm {

/// How long a run will compute, judged by a few iterations.
struct TimeEstimate {
  double seconds = 0.0;         ///< of all iterations, without output
  std::int64_t iterations = 0;  ///< that the run may still take
  std::int64_t timed = 0;       ///< that were timed
  double timed_s = 0.0;
  Extent3 grid{};  ///< that they were timed on: the case's, or, where that is large, a part
};

/// Times iterations of the case itself, with the run's plan, parts and transport, for a fraction of
/// a second, from a field of ones. Of a large case only a part of the grid is taken, whose time an
/// iteration grows with the points. Takes no more memory than the run would. Collective.
/// @throws InputError  as make_solver
TimeEstimate estimate_time(mpi::Communicator const& ranks, PreparedRun const& run);

/// The grid, or, where the ranks would own more than `most_points` each, one with fewer points
/// along its axes but the same spacing.
Grid grid_to_time(Grid const& grid, Extent3 parts, std::int64_t most_points);

}  // namespace isotherm
