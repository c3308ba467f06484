#pragma once

namespace isotherm {

/// True if the descriptor is a terminal that understands escape sequences. TERM=dumb, no TERM, and
/// a NO_COLOR that is not empty (no-color.org) say that it does not, or that nobody wants them.
[[nodiscard]] bool takes_escapes(int descriptor);

}  // namespace isotherm
