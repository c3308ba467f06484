#pragma once

namespace isotherm::test {

/// True in a build with sanitizers, which check memory accesses, not numbers, and are many times
/// slower. Tests then repeat themselves less often, and on smaller grids.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace isotherm::test
