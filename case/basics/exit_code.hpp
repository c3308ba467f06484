#pragma once

namespace isotherm::exit_code {

/// The exit codes of the program. Scripts rely on these numbers; the manual page documents them.
inline constexpr int done = 0;       ///< the tolerance is reached, or `stop` is satisfied
inline constexpr int failed = 1;     ///< an error during the run; or compared files differ
inline constexpr int bad_input = 2;  ///< nothing was overwritten; or a damaged file
/// The tolerance was not reached, the heat balance refutes it, or a time step could not be solved.
inline constexpr int not_converged = 3;
/// On request or by the time limit: resume (EX_TEMPFAIL). There is a checkpoint if a step was
/// taken.
inline constexpr int stopped = 75;

}  // namespace isotherm::exit_code
