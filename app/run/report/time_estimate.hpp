#pragma once

#include <cstdint>

#include "app/run/prepare/prepared_run.hpp"

namespace isotherm::app {

/// An estimate of the computing time of a run, extrapolated from a few iterations.
struct TimeEstimate {
  double seconds = 0.0;         ///< of all iterations, without output
  std::int64_t iterations = 0;  ///< maximum number of iterations still to be done
  std::int64_t timed = 0;       ///< iterations that were timed
  double timed_s = 0.0;         ///< their time
  Extent3 grid{};               ///< grid of the timing: the case's, or a part of it if it is large
};

/// Times iterations of the case with the run's plan, decomposition and transport for a fraction of
/// a second. Collective.
///
/// The initial field is smooth and positive. Only a part of a large grid is timed, and the time is
/// scaled with the number of points. The estimate needs no more memory than the run.
/// @throws InputError  like make_solver
TimeEstimate estimate_time(mpi::Communicator const& ranks, PreparedRun const& run);

/// Returns the grid, or one with fewer points of the same spacing if each rank would own more than
/// `max_points`.
Grid grid_to_time(Grid const& grid, Extent3 parts, std::int64_t max_points);

}  // namespace isotherm::app
