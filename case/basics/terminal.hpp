#pragma once

/// Properties of the terminal that the program writes to.

namespace isotherm {

/// Returns true if the descriptor is a terminal that interprets escape sequences. It returns false
/// if TERM is "dumb" or unset, or if NO_COLOR is set and not empty (no-color.org).
[[nodiscard]] bool takes_escapes(int descriptor);

}  // namespace isotherm
