#pragma once

#include "kernels/expressions/float_parts.hpp"

// The exponential function and the hyperbolic functions.

namespace isotherm::elementary {

/// ln 2 = ln2_high + ln2_low. The first part has 42 bits, so its product with a whole number below
/// 2^11 is exact.
inline constexpr double ln2_high = 0x1.62e42fefa3800p-1;
inline constexpr double ln2_low = 0x1.ef35793c76730p-45;

/// Returns e^(x + low)·2^shift.
///
/// x + low = k·ln 2 + r with |r| ≤ ln 2/2; e^r is its Taylor polynomial of degree 13, whose error
/// is below 2^−57. The error of the result is below 0.8 ulp.
/// @pre |low| is at most one unit in the last place of x
ISOTHERM_INLINE double exponential_of(double x, double low, std::uint64_t shift) {
  constexpr double per_ln2 = 0x1.71547652b82fep+0;
  // Beyond these bounds the result is infinity or 0. NaN passes.
  double const within = x < -750.0 ? -750.0 : x > 720.0 ? 720.0 : x;
  double const rest = within == x ? low : 0.0;
  Whole const k = nearest_whole(within * per_ln2);
  double const high = within - k.value * ln2_high;  // exact
  Pair const r = exact_sum(high, rest - k.value * ln2_low);
  double const quadratic =
      polynomial(r.high, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0);
  double const tail = multiply_add(r.high * r.high, quadratic, r.low);
  Pair const leading = sum_of_ordered(1.0, r.high);
  return scaled(leading.high + (leading.low + tail), k.bits + shift);
}

ISOTHERM_INLINE double exponential(double x) { return exponential_of(x, 0.0, 0); }

/// Returns (sinh x − x)/x³, from the Taylor series for |x| ≤ 1. @param z  x²
ISOTHERM_INLINE double sinh_series(double z) {
  return polynomial(z, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800,
                    1.0 / 6227020800.0, 1.0 / 1307674368000.0, 1.0 / 355687428096000.0);
}
/// Returns (cosh x − 1)/x², from the Taylor series for |x| ≤ 1. @param z  x²
ISOTHERM_INLINE double cosh_series(double z) {
  return polynomial(z, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600,
                    1.0 / 87178291200.0, 1.0 / 20922789888000.0, 1.0 / 6402373705728000.0);
}

ISOTHERM_INLINE double hyperbolic_sine(double x) {
  double const size = magnitude(x);
  double const z = x * x;
  double const small = multiply_add(x * z, sinh_series(z), x);
  double const half = exponential_of(size, 0.0, ~0ULL);  // e^|x|/2 overflows as late as sinh
  double const large = with_sign(half - 0.25 / half, x);
  return size < 1.0 ? small : x != x ? x : large;
}

ISOTHERM_INLINE double hyperbolic_cosine(double x) {
  double const half = exponential_of(magnitude(x), 0.0, ~0ULL);
  return half + 0.25 / half;
}

ISOTHERM_INLINE double hyperbolic_tangent(double x) {
  double const size = magnitude(x);
  double const z = x * x;
  double const small =
      multiply_add(x * z, sinh_series(z), x) / multiply_add(z, cosh_series(z), 1.0);
  double const large = 1.0 - 2.0 / (exponential(2.0 * size) + 1.0);
  return size < 1.0 ? small : x != x ? x : with_sign(large, x);
}

}  // namespace isotherm::elementary
