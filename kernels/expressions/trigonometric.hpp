#pragma once

#include <array>

#include "kernels/expressions/float_parts.hpp"

// Sine, cosine and tangent.

namespace isotherm::elementary {

/// An angle as a multiple of π/2 and a rest: quadrant·π/2 + rest, |rest| ≤ π/4 and a little more.
struct Angle {
  Pair rest;
  std::uint64_t quadrant;  ///< its last two bits count
};

/// The largest magnitude that reduced_angle() accepts.
inline constexpr double largest_angle = 0x1p20;

/// Subtracts the nearest multiple of π/2, in three parts (Cody and Waite). The first two have 33
/// bits, so their products are exact. The error is below 2^−98.
/// @pre |x| ≤ largest_angle
ISOTHERM_INLINE Angle reduced_angle(double x) {
  constexpr double per_quadrant = 0x1.45f306dc9c883p-1;
  Whole const k = nearest_whole(x * per_quadrant);
  double const first = x - k.value * 0x1.921fb54400000p+0;  // exact
  Pair const second = exact_sum(first, k.value * -0x1.0b4611a600000p-34);
  double const third = k.value * 0x1.3198a2e037073p-69;
  Pair const rest = sum_of_ordered(second.high, second.low - third);
  return {{k.value == 0.0 ? x : rest.high, rest.low}, k.bits};  // −0 stays −0
}

/// Returns the high half of a product.
ISOTHERM_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t const a0 = a & 0xffffffffU, a1 = a >> 32U;
  std::uint64_t const b0 = b & 0xffffffffU, b1 = b >> 32U;
  std::uint64_t const middle = a1 * b0 + ((a0 * b0) >> 32U);
  std::uint64_t const other = a0 * b1 + (middle & 0xffffffffU);
  return a1 * b1 + (middle >> 32U) + (other >> 32U);
}

/// Returns 64 bits of 2/π from the given binary place on: place 0 begins with the bit of ½.
ISOTHERM_HOST_DEVICE inline std::uint64_t bits_of_two_over_pi(unsigned place) {
  constexpr std::array<std::uint64_t, 19> words{
      // NOLINT(*-avoid-c-arrays): device code has no std::array
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
      0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  unsigned const word = place / 64U, shift = place % 64U;
  if (shift == 0U) return words[word];
  return (words[word] << shift) | (words[word + 1U] >> (64U - shift));
}

/// Reduces an angle of any size exactly (Payne and Hanek): multiplies by the bits of 2/π that
/// matter modulo 4.
/// @pre x is finite, and |x| ≥ 2^10
ISOTHERM_HOST_DEVICE inline Angle reduced_large_angle(double x) {
  std::uint64_t const bits = bits_of(magnitude(x));
  // |x| = m·2^e
  std::uint64_t const m = (bits & ((1ULL << 52U) - 1U)) | (1ULL << 52U);
  int const e = static_cast<int>(bits >> 52U) - 1075;
  // Bits of 2/π above 2^(2 − e) contribute multiples of 4. If e < 2, zeros stand above the point.
  int const place = e - 2;
  std::uint64_t first = 0, second = 0, third = 0;
  if (place >= 0) {
    first = bits_of_two_over_pi(static_cast<unsigned>(place));
    second = bits_of_two_over_pi(static_cast<unsigned>(place) + 64U);
    third = bits_of_two_over_pi(static_cast<unsigned>(place) + 128U);
  } else {
    auto const up = static_cast<unsigned>(-place);
    first = bits_of_two_over_pi(0) >> up;
    second = bits_of_two_over_pi(64U - up);
    third = bits_of_two_over_pi(128U - up);
  }
  // The product modulo 2^192: its two highest bits are the quadrant, the others the fraction.
  std::uint64_t high = m * first + high_product(m, second);
  std::uint64_t low = m * second;
  std::uint64_t const carry = high_product(m, third);
  low += carry;
  if (low < carry) ++high;
  std::uint64_t quadrant = high >> 62U;
  high = (high << 2U) | (low >> 62U);
  low <<= 2U;
  // Rounds to the nearest quadrant: fractions from ½ on become negative.
  bool const is_upper = (high >> 63U) != 0U;
  if (is_upper) {
    ++quadrant;
    high = ~high;
    low = ~low + 1U;
    if (low == 0U) ++high;
  }
  // The fraction as a pair, from pieces of 32 bits, which are exact.
  double const piece0 = static_cast<double>(high >> 32U) * 0x1p-32;
  double const piece1 = static_cast<double>(high & 0xffffffffU) * 0x1p-64;
  double const piece2 = static_cast<double>(low >> 32U) * 0x1p-96;
  double const piece3 = static_cast<double>(low & 0xffffffffU) * 0x1p-128;
  Pair const upper = sum_of_ordered(piece0, piece1);
  Pair const lower = sum_of_ordered(piece2, piece3);
  Pair const joined = exact_sum(upper.high, upper.low + lower.high);
  Pair rest = product({joined.high, joined.low + lower.low}, {pi_over_2, pi_over_2_rest});
  bool const is_negative = is_upper != (x < 0.0);
  if (is_negative) rest = {-rest.high, -rest.low};
  return {rest, x < 0.0 ? 0U - quadrant : quadrant};
}

/// Returns the reduced angle of any number; NaN for infinity and NaN.
ISOTHERM_HOST_DEVICE inline Angle any_angle(double x) {
  if (magnitude(x) <= largest_angle) return reduced_angle(x);
  if (!(magnitude(x) < infinity)) return {{x - x, x - x}, 0};
  return reduced_large_angle(x);
}

/// Returns the sine and cosine of a rest, by their Taylor polynomials.
ISOTHERM_INLINE double sine_of_rest(Pair r) {
  double const z = r.high * r.high;
  double const higher =
      polynomial(z, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                 -1.0 / 1307674368000.0, 1.0 / 355687428096000.0);
  double const cube = z * r.high;
  double const low = multiply_add(z, multiply_add(cube, higher, -0.5 * r.low), r.low);
  double const sum = r.high + multiply_add(cube, -1.0 / 6, low);
  return r.high == 0.0 ? r.high : sum;
}
ISOTHERM_INLINE double cosine_of_rest(Pair r) {
  double const z = r.high * r.high;
  double const higher = polynomial(z, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
                                   1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0);
  Pair const leading = sum_of_ordered(1.0, -0.5 * z);
  double const low = multiply_add(z * z, higher, -(r.high * r.low));
  return leading.high + (leading.low + low);
}

ISOTHERM_INLINE double negated_if(double x, std::uint64_t last_bit) {
  return from_bits(bits_of(x) ^ (last_bit << 63U));
}
ISOTHERM_INLINE double sine_of(Angle a) {
  double const sine = sine_of_rest(a.rest), cosine = cosine_of_rest(a.rest);
  return negated_if((a.quadrant & 1U) != 0U ? cosine : sine, a.quadrant >> 1U);
}
ISOTHERM_INLINE double cosine_of(Angle a) { return sine_of({a.rest, a.quadrant + 1U}); }
ISOTHERM_INLINE double tangent_of(Angle a) {
  double const sine = sine_of_rest(a.rest), cosine = cosine_of_rest(a.rest);
  bool const is_odd = (a.quadrant & 1U) != 0U;
  return (is_odd ? -cosine : sine) / (is_odd ? sine : cosine);
}

ISOTHERM_HOST_DEVICE inline double sine(double x) { return sine_of(any_angle(x)); }
ISOTHERM_HOST_DEVICE inline double cosine(double x) { return cosine_of(any_angle(x)); }
ISOTHERM_HOST_DEVICE inline double tangent(double x) { return tangent_of(any_angle(x)); }

}  // namespace isotherm::elementary
