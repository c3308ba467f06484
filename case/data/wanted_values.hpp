#pragma once

#include <string>

#include "kernels/core/box.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/medium.hpp"

// Requirements on the values of a case's functions: sign, precision, and the points that matter.

namespace isotherm {

/// The sign that numbers must have.
enum class Sign { any, not_negative, positive };

/// Returns whether a number has the required sign. NaN passes for Sign::any only.
inline bool is_in(double value, Sign sign) {
  return sign == Sign::any || value > 0.0 || (sign == Sign::not_negative && value == 0.0);
}

/// Describes the required numbers for messages: "values above 0".
inline std::string needed(Sign sign, std::string const& number) {
  std::string const wide = sign == Sign::positive       ? " above 0"
                           : sign == Sign::not_negative ? " of 0 or more"
                                                        : "";
  return number + wide;
}

/// Returns a value rounded to the precision of a field.
inline double rounded(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// A requirement on the values of a function.
///
///     WantedValues const wanted{.points = grid.box(), .sign = Sign::positive};
struct WantedValues {
  /// The grid points to check: a sample of them for an expression, all of them for values in a
  /// file.
  GlobalBox points{};
  Sign sign = Sign::any;
  /// Returns whether the function applies at a place; empty: everywhere. It must own what it refers
  /// to, since it outlives the reader.
  Region::Contains holds{};
  int axis = -1;  ///< the axis of an anisotropic coefficient, for messages; -1: all axes
};

}  // namespace isotherm
