#pragma once

namespace isotherm::test {

/// True in a build with sanitizers, which check memory accesses, not numbers, and are many times
/// slower. Tests then repeat themselves less often, and on smaller grids.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// Why a build with sanitizers omits a long test: `if (is_sanitized) GTEST_SKIP() <<
/// numbers_alone;`
inline constexpr char const* numbers_alone = "about numbers alone: other tests run the same code";

}  // namespace isotherm::test
