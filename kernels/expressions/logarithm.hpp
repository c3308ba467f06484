#pragma once

#include "kernels/expressions/exponential.hpp"
#include "kernels/expressions/float_parts.hpp"

// Logarithms, and the inverse hyperbolic functions.

namespace isotherm::elementary {

/// A positive number m·2^k with √½ ≤ m < √2.
struct Scaled {
  double m;
  double k;
};
/// Splits a positive finite number.
ISOTHERM_INLINE Scaled split(double x) {
  bool const is_subnormal = x < 0x1p-1022;
  double const normal = is_subnormal ? x * 0x1p54 : x;
  constexpr std::uint64_t root_of_half = 0x3fe6a09e667f3bcdULL;
  // 1023 more than k, which is positive.
  std::uint64_t const k = (bits_of(normal) - root_of_half + (1023ULL << 52U)) >> 52U;
  // k is written into the last bits of 2^52, which makes it a float64.
  double const as_float = from_bits(k | bits_of(0x1p52)) - (0x1p52 + 1023.0);
  return {from_bits(bits_of(normal) - ((k - 1023U) << 52U)),
          as_float - (is_subnormal ? 54.0 : 0.0)};
}

/// Returns the logarithm for all x from its value `regular` for positive finite ones.
ISOTHERM_INLINE double with_special_logarithms(double x, double regular) {
  return x > 0.0 ? (x == infinity ? x : regular) : x == 0.0 ? -infinity : not_a_number;
}

/// Returns ln(1 + f) − (f − f²/2) + correction, for √½ ≤ 1 + f < √2, as a sum with the parts of
/// k·ln 2. The series of 2·artanh(s), s = f/(2 + f), converges to 2^−60 of s.
ISOTHERM_INLINE double assembled_logarithm(double f, double k, double correction) {
  double const s = f / (2.0 + f);
  double const z = s * s;
  double const series = z * polynomial(z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                                       2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21);
  double const half_square = 0.5 * f * f;
  double const low = multiply_add(s, half_square + series, k * ln2_low) + correction;
  Pair const leading = exact_sum(k * ln2_high, f);
  return leading.high + (leading.low + (low - half_square));
}

/// Returns the natural logarithm, to less than 1 ulp.
ISOTHERM_INLINE double logarithm(double x) {
  Scaled const parts = split(x);
  return with_special_logarithms(x, assembled_logarithm(parts.m - 1.0, parts.k, 0.0));
}

/// Returns ln(1 + x) for x > −1.
ISOTHERM_INLINE double logarithm_of_one_plus(double x) {
  double const sum = 1.0 + x;
  Scaled const parts = split(sum);
  // What rounding took from the sum.
  double const lost = (x < 1.0 ? x - (sum - 1.0) : 1.0 - (sum - x)) / sum;
  double const regular = assembled_logarithm(parts.m - 1.0, parts.k, lost);
  return magnitude(x) < 0x1p-54 ? x : sum == infinity ? sum : regular;
}

/// Returns ln m for √½ ≤ m < √2 to approximately 2^−65 of its value.
ISOTHERM_INLINE Pair precise_logarithm(double m) {
  double const f = m - 1.0;  // exact
  Pair const divisor = exact_sum(m, 1.0);
  double const s = f / divisor.high;
  double const s_low = (fused(-s, divisor.high, f) - s * divisor.low) / divisor.high;
  Pair z = exact_product(s, s);
  z.low = multiply_add(2.0 * s, s_low, z.low);
  // ln m = 2 s + s·(2/3 z + 2/5 z² + …). The terms from z² on need float64 only.
  Pair const two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  double const tail = z.high * z.high *
                      polynomial(z.high, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15,
                                 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25);
  Pair const cubic = product(z, two_thirds);
  Pair higher = sum_of_ordered(cubic.high, tail);
  higher.low += cubic.low;
  Pair const rest = product(higher, {s, s_low});
  Pair const leading = sum_of_ordered(2.0 * s, rest.high);
  return sum_of_ordered(leading.high, leading.low + multiply_add(2.0, s_low, rest.low));
}

/// Returns the binary logarithm. Powers of two give whole numbers.
ISOTHERM_INLINE double binary_logarithm(double x) {
  Scaled const parts = split(x);
  Pair const per_ln2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  Pair const fraction = product(precise_logarithm(parts.m), per_ln2);
  Pair const sum = exact_sum(parts.k, fraction.high);
  return with_special_logarithms(x, sum.high + (sum.low + fraction.low));
}

/// Returns the decimal logarithm. Powers of ten give whole numbers.
ISOTHERM_INLINE double decimal_logarithm(double x) {
  Scaled const parts = split(x);
  Pair const per_ln10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  // log10 2; the first part has 42 bits, so its product with k is exact.
  Pair const of_two{0x1.34413509f7800p-2, 0x1.fef311f12b358p-46};
  Pair const fraction = product(precise_logarithm(parts.m), per_ln10);
  Pair const sum = exact_sum(parts.k * of_two.high, fraction.high);
  double const low = sum.low + multiply_add(parts.k, of_two.low, fraction.low);
  return with_special_logarithms(x, sum.high + low);
}

ISOTHERM_INLINE double inverse_hyperbolic_sine(double x) {
  double const size = magnitude(x);
  double const square = size * size;
  double const regular = logarithm_of_one_plus(size + square / (1.0 + square_root(1.0 + square)));
  double const large = logarithm(size) + 0x1.62e42fefa39efp-1;  // ln(2 |x|)
  return x != x ? x : with_sign(size > 0x1p30 ? large : regular, x);
}

ISOTHERM_INLINE double inverse_hyperbolic_cosine(double x) {
  double const above = x - 1.0;
  double const regular = logarithm_of_one_plus(above + square_root(above * (x + 1.0)));
  double const large = logarithm(x) + 0x1.62e42fefa39efp-1;
  return x >= 1.0 ? (x > 0x1p30 ? large : regular) : not_a_number;
}

ISOTHERM_INLINE double inverse_hyperbolic_tangent(double x) {
  double const size = magnitude(x);
  double const regular = 0.5 * logarithm_of_one_plus(2.0 * size / (1.0 - size));
  return size <= 1.0 ? with_sign(regular, x) : not_a_number;
}

}  // namespace isotherm::elementary
