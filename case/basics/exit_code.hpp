#pragma once

namespace isotherm::exit_code {

/// The exit codes of the program. Scripts rely on these numbers; the manual page documents them.
inline constexpr int done = 0;           ///< success; if a tolerance was set, it is reached
inline constexpr int failed = 1;         ///< an error during the run; or compared files differ
inline constexpr int bad_input = 2;      ///< nothing was computed and nothing written
inline constexpr int not_converged = 3;  ///< the iteration limit preceded the tolerance
inline constexpr int stopped = 75;       ///< on request, with a checkpoint: resume (EX_TEMPFAIL)

}  // namespace isotherm::exit_code
