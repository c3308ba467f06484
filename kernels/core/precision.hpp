#pragma once

#include <cstddef>
#include <utility>

namespace isotherm {

/// The floating-point type of a field's values.
enum class Precision { float32, float64 };

/// Returns "float32" or "float64", the spelling of case files.
constexpr char const* name(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

/// The Precision of a C++ type, float or double.
template <class Real>
constexpr Precision precision_of = sizeof(Real) == sizeof(float) ? Precision::float32
                                                                 : Precision::float64;

/// Returns the size of one value in bytes.
constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

/// Returns the unit roundoff, half a unit in the last place of 1: the largest relative error of
/// rounding to a precision, 2^−24 or 2^−53.
constexpr double half_unit(Precision precision) {
  return precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
}

/// Calls `action` with a zero of the type that `precision` names and returns its result. This is
/// the single step from a precision known at run time to code compiled for a type.
template <class Action>
decltype(auto) with_precision(Precision precision, Action&& action) {
  return precision == Precision::float32 ? std::forward<Action>(action)(float{})
                                         : std::forward<Action>(action)(double{});
}

}  // namespace isotherm
