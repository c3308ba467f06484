#pragma once

#include "kernels/expressions/float_parts.hpp"

// Arc sine, arc cosine and arc tangent.

namespace isotherm::elementary {

/// Returns arcsin(√z)/√z − 1 for 0 ≤ z ≤ ¼, to 2^−57.
/// The coefficients are those of an interpolation in Chebyshev points.
ISOTHERM_INLINE double arc_sine_series(double z) {
  return z * polynomial(z, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                        0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                        0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                        0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                        0x1.d72b2bc8155f8p-6);
}

/// Returns arcsin √z for 0 ≤ z ≤ ¼ as a pair.
ISOTHERM_INLINE Pair arc_sine_of_root(double z) {
  double const root = square_root(z);
  double const lost = root == 0.0 ? 0.0 : 0.5 * fused(-root, root, z) / root;
  return sum_of_ordered(root, multiply_add(root, arc_sine_series(z), lost));
}

ISOTHERM_INLINE double arc_sine(double x) {
  double const size = magnitude(x);
  double const small = multiply_add(x, arc_sine_series(x * x), x);
  // arcsin x = π/2 − 2 arcsin √((1 − x)/2)
  Pair const half = arc_sine_of_root(size > 0.5 ? 0.5 * (1.0 - size) : 0.0);
  Pair const angle = sum_of_ordered(pi_over_2, -2.0 * half.high);
  double const large = angle.high + (angle.low + (pi_over_2_rest - 2.0 * half.low));
  return size <= 0.5 ? small : size <= 1.0 ? with_sign(large, x) : not_a_number;
}

ISOTHERM_INLINE double arc_cosine(double x) {
  double const size = magnitude(x);
  // |x| ≤ ½: π/2 − arcsin x
  Pair const from_right_angle = sum_of_ordered(pi_over_2, -x);
  double const small =
      from_right_angle.high +
      (from_right_angle.low + multiply_add(-x, arc_sine_series(x * x), pi_over_2_rest));
  // Otherwise 2 arcsin √((1 − |x|)/2), or π less that.
  Pair const half = arc_sine_of_root(size > 0.5 ? 0.5 * (1.0 - size) : 0.0);
  Pair const supplement = sum_of_ordered(2.0 * pi_over_2, -2.0 * half.high);
  double const near_one = 2.0 * (half.high + half.low);
  double const near_minus_one =
      supplement.high + (supplement.low + 2.0 * (pi_over_2_rest - half.low));
  double const large = x > 0.0 ? near_one : near_minus_one;
  return size <= 0.5 ? small : size <= 1.0 ? large : not_a_number;
}

/// Returns arctan(y/x) for x, y ≥ 0, not both 0 or infinite. x + y must not overflow.
///
/// The angle is that of the nearest of 0, arctan ½, arctan 1, arctan 3/2 and π/2, plus a rest
/// arctan t with |t| ≤ 7/16, of which
/// arctan(√z)/√z − 1 is a polynomial to 2^−57, from an interpolation in Chebyshev points.
ISOTHERM_INLINE double arc_tangent_of_quotient(double y, double x) {
  bool const above_0 = y > 0.4375 * x, above_1 = y > 0.6875 * x, above_2 = y > 1.1875 * x,
             above_3 = y > 2.4375 * x;
  double const center = above_2 ? 1.5 : above_1 ? 1.0 : above_0 ? 0.5 : 0.0;
  double const high = above_3   ? pi_over_2
                      : above_2 ? 0x1.f730bd281f69bp-1
                      : above_1 ? 0x1.921fb54442d18p-1
                      : above_0 ? 0x1.dac670561bb4fp-2
                                : 0.0;
  double const low = above_3   ? pi_over_2_rest
                     : above_2 ? 0x1.007887af0cbbdp-56
                     : above_1 ? 0x1.1a62633145c07p-55
                     : above_0 ? 0x1.a2b7f222f65e2p-56
                               : 0.0;
  // t = (y − c x)/(x + c y), or −x/y. The products are exact, or rounded far below the sums.
  double const numerator = above_3 ? -x : fused(-center, x, y);
  double const denominator = above_3 ? y : fused(center, y, x);
  double const t = numerator / denominator;
  double const z = t * t;
  double const series =
      z * polynomial(z, -0x1.5555555555555p-2, 0x1.99999999998c5p-3, -0x1.2492492485503p-3,
                     0x1.c71c71bd2b8bcp-4, -0x1.745d154c84f7ap-4, 0x1.3b1375ce5bdc6p-4,
                     -0x1.110c9ce7b0572p-4, 0x1.e170800a46210p-5, -0x1.ab59b417b2d3fp-5,
                     0x1.7001816fd063fp-5, -0x1.0f62bba6a2558p-5, 0x1.e4167464d3de8p-7);
  Pair const sum = sum_of_ordered(high, t);
  return sum.high + (sum.low + multiply_add(t, series, low));
}

ISOTHERM_INLINE double arc_tangent(double x) {
  double const size = magnitude(x);
  double const angle = arc_tangent_of_quotient(size, 1.0);
  double const regular = size == infinity ? pi_over_2 : angle;
  return with_sign(x != x ? x : regular, x);
}

/// Returns the angle of the point (x, y), with the special values of C's atan2.
ISOTHERM_INLINE double arc_tangent_of_point(double y, double x) {
  double const up = magnitude(y), across = magnitude(x);
  // Both at infinity, or both 0, stand for directions.
  bool const both_infinite = (up == infinity) & (across == infinity);
  double const y0 = both_infinite ? 1.0 : up, x0 = both_infinite ? 1.0 : across;
  double const larger = y0 > x0 ? y0 : x0;
  // Scaled, so that no sum overflows, and no small product vanishes.
  double const scale = larger > 0x1p1000 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p100 : 1.0;
  double const angle = arc_tangent_of_quotient(y0 * scale, x0 * scale);
  double const first = larger == 0.0    ? 0.0
                       : y0 == infinity ? pi_over_2
                       : x0 == infinity ? 0.0
                                        : angle;
  bool const is_left = (bits_of(x) >> 63U) != 0U;
  Pair const supplement = sum_of_ordered(2.0 * pi_over_2, -first);
  double const second = supplement.high + (supplement.low + 2.0 * pi_over_2_rest);
  double const size = is_left ? second : first;
  return (x != x) | (y != y) ? not_a_number : with_sign(size, y);
}

/// Returns √(x² + y²) without overflow of the squares.
ISOTHERM_INLINE double hypotenuse(double x, double y) {
  double const a = magnitude(x), b = magnitude(y);
  double const larger = a > b ? a : b;
  double const scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
  double const inverse = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-400 ? 0x1p-600 : 1.0;
  Pair const first = exact_product(a * scale, a * scale);
  Pair const second = exact_product(b * scale, b * scale);
  Pair const square = exact_sum(first.high, second.high);
  double const low = square.low + first.low + second.low;
  double const root = square_root(square.high);
  double const corrected = root + 0.5 * (fused(-root, root, square.high) + low) / root;
  double const regular = (root == 0.0 ? root : corrected) * inverse;
  double const unless_infinite = a == infinity ? a : regular;
  return b == infinity ? b : unless_infinite;
}

}  // namespace isotherm::elementary
