#pragma once

#include <span>

namespace isotherm {

/// Returns true if no value is infinite or NaN. Uses all threads.
bool all_finite(std::span<float const> values);
bool all_finite(std::span<double const> values);

/// Returns true if no value is infinite or NaN. Uses the calling thread only, for values that are
/// in its cache.
bool all_finite_here(std::span<float const> values);
bool all_finite_here(std::span<double const> values);

}  // namespace isotherm
