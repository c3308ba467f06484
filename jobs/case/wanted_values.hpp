#pragma once

#include <string>

#include "kernels/core/box.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/body.hpp"

namespace isotherm {

/// What numbers are valid.
enum class Sign { any, not_negative, positive };

/// Whether a number is one of them.
inline bool is_in(double value, Sign sign) {
  return sign == Sign::any || value > 0.0 || (sign == Sign::not_negative && value == 0.0);
}

/// "values above 0".
inline std::string needed(Sign sign, std::string const& number) {
  std::string const wide = sign == Sign::positive       ? " above 0"
                           : sign == Sign::not_negative ? " of 0 or more"
                                                        : "";
  return number + wide;
}

/// The value as fields of that precision hold it.
inline double rounded(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// What is asked of a function's values.
struct WantedValues {
  GlobalBox points{};  ///< of which a sample is looked at; of values in a file all
  Sign sign = Sign::any;
  Region::Contains holds{};  ///< whether the function's value counts at a place; empty: everywhere.
                             ///< Owns what it looks at
  int axis = -1;             ///< along which the value counts; none: along all
};

}  // namespace isotherm
