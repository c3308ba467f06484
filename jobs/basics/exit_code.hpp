#pragma once

namespace isotherm::exit_code {

/// What the program tells its caller. Scripts rely on these numbers.
inline constexpr int done = 0;           ///< and, where a tolerance was asked for, it is reached
inline constexpr int failed = 1;         ///< something broke while running; or files differ
inline constexpr int bad_input = 2;      ///< nothing was computed and nothing written
inline constexpr int not_converged = 3;  ///< the iteration limit came before the tolerance
inline constexpr int stopped = 75;       ///< on request, with a checkpoint: resume me (EX_TEMPFAIL)

}  // namespace isotherm::exit_code
