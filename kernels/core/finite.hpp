#pragma once

#include <span>

namespace isotherm {

/// True where no value is infinite or not a number. On all threads.
bool all_finite(std::span<float const> values);
bool all_finite(std::span<double const> values);

/// The same on the thread that asks, for values that are in its cache.
bool all_finite_here(std::span<float const> values);
bool all_finite_here(std::span<double const> values);

}  // namespace isotherm
