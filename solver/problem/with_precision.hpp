#pragma once

#include <utility>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Calls `action` with a zero of the type that `precision` means: the one step from a case's
/// precision to code that is compiled for a type.
template <class Action>
decltype(auto) with_precision(Precision precision, Action&& action) {
  return precision == Precision::float32 ? std::forward<Action>(action)(float{})
                                         : std::forward<Action>(action)(double{});
}

/// Bytes of one value.
constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

}  // namespace isotherm
