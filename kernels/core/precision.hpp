#pragma once

#include <cstddef>
#include <utility>

namespace isotherm {

/// The type of a field's values.
enum class Precision { float32, float64 };

/// "float32" or "float64", as case files write it.
constexpr char const* name(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

template <class Real>
constexpr Precision precision_of = sizeof(Real) == sizeof(float) ? Precision::float32
                                                                 : Precision::float64;

/// Bytes of one value.
constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

/// Calls `action` with a zero of the type that `precision` means: the one step from a precision
/// that is known when the program runs to code that is compiled for a type.
template <class Action>
decltype(auto) with_precision(Precision precision, Action&& action) {
  return precision == Precision::float32 ? std::forward<Action>(action)(float{})
                                         : std::forward<Action>(action)(double{});
}

}  // namespace isotherm
