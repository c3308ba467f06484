#pragma once

#include <cstdint>
#include <string>

#include "solver/direct/time_model.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// The result of solving one problem to one tolerance.
struct Solution {
  std::string method{};
  Precision precision = Precision::float64;
  double tolerance = 0.0;
  std::int64_t cycles = 0;
  bool converged = false;
  /// Final residual norm relative to that of the zero field.
  double relative = 0.0;
  double setup_s = 0.0;     ///< construction of the solver
  SolutionTime estimate{};  ///< by estimate_times(), to 1e-8
  double seconds = 0.0;     ///< from the initial field to the tolerance
  /// The minimum memory traffic at the copy rate, relative to the time.
  double share_of_copy = 0.0;
  /// The longest time of the repetitions relative to the shortest, minus one.
  double scatter = 0.0;
};

/// Returns the settings of a method for a tolerance. The residual is measured in each cycle, and at
/// most 50 cycles are performed. A cycle of the direct method is one solution.
MethodSettings solution_settings(std::string const& name, double tolerance);

/// Returns medians over the repetitions, after one that warms up. The number of cycles and the
/// residual are the same in each repetition. Each repetition builds its own solver, so `repeat` + 1
/// set-ups are performed. Collective.
Solution measure_solution(mpi::Communicator const& ranks, Problem const& problem,
                          Execution const& execution, MethodSettings const& method, int repeat);

}  // namespace isotherm::app
