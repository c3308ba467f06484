#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace isotherm {

/// Integrates a positive function over an interval by Gauss's rule of three points, which is exact
/// for polynomials up to degree 5.
/// @return NaN if a value is not a positive number
template <class Function>
double gauss_integral(Function const& function, double lower, double upper) {
  constexpr std::array places{-0.774596669241483377, 0.0, 0.774596669241483377};
  constexpr std::array weights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  double const middle = 0.5 * lower + 0.5 * upper, half = 0.5 * (upper - lower);
  double sum = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double const value = function(middle + places[i] * half);
    if (!(value > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    sum += weights[i] * value;
  }
  return sum * (upper - lower);
}

}  // namespace isotherm
