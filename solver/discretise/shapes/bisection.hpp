#pragma once

namespace isotherm {

/// Returns the number between two others at which a condition changes, to 2^−40 of their distance.
/// @param holds  holds(inside) is true, holds(outside) is false
template <class Condition>
double change_between(double inside, double outside, Condition const& holds) {
  constexpr int bisections = 40;
  for (int i = 0; i < bisections; ++i) {
    double const middle = 0.5 * inside + 0.5 * outside;
    (holds(middle) ? inside : outside) = middle;
  }
  return 0.5 * inside + 0.5 * outside;
}

}  // namespace isotherm
