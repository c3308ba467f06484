#pragma once

#include "kernels/expressions/exponential.hpp"
#include "kernels/expressions/logarithm.hpp"

namespace isotherm::elementary {

/// Returns |x|^y for finite x ≠ 0, as e^(y ln |x|) with a product of pairs.
ISOTHERM_INLINE double power_of_magnitude(double size, double exponent_given) {
  // Larger exponents overflow or vanish likewise, unless |x| is 1.
  double const y = exponent_given > 0x1p70    ? 0x1p70
                   : exponent_given < -0x1p70 ? -0x1p70
                                              : exponent_given;
  Scaled const parts = split(size);
  Pair const fraction = precise_logarithm(parts.m);
  Pair const leading = exact_sum(parts.k * ln2_high, fraction.high);
  Pair const logarithm =
      sum_of_ordered(leading.high, leading.low + multiply_add(parts.k, ln2_low, fraction.low));
  Pair const exponent = exact_product(y, logarithm.high);
  double const low = multiply_add(y, logarithm.low, exponent.low);
  Pair const sum = sum_of_ordered(exponent.high, low);
  return exponential_of(sum.high, sum.low, 0);
}

/// Returns x^y, with the special values of IEEE 754 (pow of C). Exact powers are exact.
ISOTHERM_INLINE double power(double x, double y) {
  double const size = magnitude(x);
  double const exponent = magnitude(y);
  double const regular = power_of_magnitude(size, y);
  // Numbers from 2^52 on are whole, and from 2^53 on even.
  double const half = 0.5 * exponent;
  double const nearest = exponent < 0x1p52 ? (exponent + 0x1p52) - 0x1p52 : exponent;
  double const nearest_half = half < 0x1p52 ? (half + 0x1p52) - 0x1p52 : half;
  // The value of a negative x: NaN, or that of |x| with the sign of an odd power.
  double const of_whole = nearest_half == half ? 1.0 : -1.0;
  double const of_finite = nearest == exponent ? of_whole : not_a_number;
  double const of_infinite = nearest == exponent ? of_whole : 1.0;
  double const of_negative = size == infinity ? of_infinite : of_finite;
  double const sign = (bits_of(x) >> 63U) != 0U ? of_negative : 1.0;
  double const sign_of_zero = (bits_of(x) >> 63U) != 0U ? of_infinite : 1.0;
  // The limits: at 0, and at infinity.
  double const of_zero = y > 0.0 ? 0.0 : sign_of_zero * infinity;
  double const signed_zero = y > 0.0 ? with_sign(0.0, sign_of_zero) : of_zero;
  double const above_one = y > 0.0 ? infinity : 0.0;
  double const below_one = y > 0.0 ? 0.0 : infinity;
  double const limit = size > 1.0 ? above_one : below_one;
  double const of_size = size == infinity ? above_one : exponent == infinity ? limit : regular;
  double const with_ones = size == 1.0 ? 1.0 : of_size;
  double const value = size == 0.0 ? signed_zero : with_ones * sign;
  double const of_numbers = x == x ? value : x;
  double const or_nan = y == y ? of_numbers : y;
  double const unless_one = x == 1.0 ? 1.0 : or_nan;
  return y == 0.0 ? 1.0 : unless_one;
}

}  // namespace isotherm::elementary
