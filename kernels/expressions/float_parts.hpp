#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/host_device.hpp"

// The tools of the elementary functions: bits of float64 numbers, selections, exact sums and
// products, polynomials.
//
// The functions of this folder consist of operations that IEEE 754 defines exactly, so CPUs and
// CUDA devices compute the same bits, on any number of vector lanes. They contain no branches where
// a selection will do, so loops over them are vectorised.

namespace isotherm::elementary {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double pi_over_2 = 0x1.921fb54442d18p+0;
/// π/2 − pi_over_2.
inline constexpr double pi_over_2_rest = 0x1.1a62633145c07p-54;

ISOTHERM_INLINE std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
ISOTHERM_INLINE double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

ISOTHERM_INLINE double magnitude(double x) { return from_bits(bits_of(x) & ~(1ULL << 63U)); }
/// Returns |size| with the sign of `sign`.
ISOTHERM_INLINE double with_sign(double size, double sign) {
  constexpr std::uint64_t sign_bit = 1ULL << 63U;
  return from_bits((bits_of(size) & ~sign_bit) | (bits_of(sign) & sign_bit));
}

/// The bits of 1.5·2^52. Numbers below 2^51 that are added to it are rounded to whole ones, which
/// the last bits of the sum then hold.
inline constexpr double rounder = 0x1.8p+52;

/// A whole number, both as a float64 and as the difference from 0 in two's complement.
struct Whole {
  double value;
  std::uint64_t bits;
};
/// Returns the whole number nearest to x.
/// @pre |x| < 2^51
ISOTHERM_INLINE Whole nearest_whole(double x) {
  double const sum = x + rounder;
  return {sum - rounder, bits_of(sum) - bits_of(rounder)};
}

/// Returns 2^n.
/// @pre −1022 ≤ n ≤ 1023, in two's complement
ISOTHERM_INLINE double power_of_two(std::uint64_t n) { return from_bits((n + 1023U) << 52U); }
/// Returns x·2^n, rounded once also if the result is subnormal.
/// @pre −2000 ≤ n ≤ 2000, in two's complement; 1/2 ≤ |x| ≤ 2
ISOTHERM_INLINE double scaled(double x, std::uint64_t n) {
  std::uint64_t const half = ((n + 2048U) >> 1U) - 1024U;
  return x * power_of_two(half) * power_of_two(n - half);
}

/// A number high + low, with |low| at most half a unit in the last place of `high`, or a little
/// more.
struct Pair {
  double high;
  double low;
};
/// Returns a + b exactly. @pre |a| ≥ |b|, or a is 0
ISOTHERM_INLINE Pair sum_of_ordered(double a, double b) {
  double const sum = a + b;
  return {sum, (a - sum) + b};
}
/// Returns a + b exactly (Knuth).
ISOTHERM_INLINE Pair exact_sum(double a, double b) {
  double const sum = a + b;
  double const of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// Returns a·b + c, rounded once, also in builds with ISOTHERM_EXACT: exact products need it.
ISOTHERM_INLINE double fused(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
/// Returns a·b exactly, unless it is below 2^−969 or overflows.
ISOTHERM_INLINE Pair exact_product(double a, double b) {
  double const product = a * b;
  return {product, fused(a, b, -product)};
}
/// Returns the product of two pairs, to approximately 2^−102.
ISOTHERM_INLINE Pair product(Pair a, Pair b) {
  Pair const leading = exact_product(a.high, b.high);
  return sum_of_ordered(leading.high, leading.low + multiply_add(a.high, b.low, a.low * b.high));
}

/// Returns c0 + c1·x + c2·x² + … by Horner's rule.
ISOTHERM_INLINE double polynomial(double /*x*/, double c0) { return c0; }
template <class... Rest>
ISOTHERM_INLINE double polynomial(double x, double c0, Rest... rest) {
  return multiply_add(polynomial(x, rest...), x, c0);
}

/// Returns the square root, which IEEE 754 rounds correctly.
ISOTHERM_INLINE double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

}  // namespace isotherm::elementary
