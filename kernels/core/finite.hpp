#pragma once

#include <span>

namespace isotherm {

/// True where no value is infinite or not a number. Uses all threads: what is asked of a whole
/// field before it is written should cost less than the writing.
bool all_finite(std::span<float const> values);
bool all_finite(std::span<double const> values);

}  // namespace isotherm
