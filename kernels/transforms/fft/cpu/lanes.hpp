#pragma once

#include <cstdint>
#include <utility>

#include "kernels/transforms/fft/complex.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace isotherm::cpu {

/// Bytes of a vector register.
#if defined(__AVX512F__)
constexpr int lane_bytes = 64;
#elif defined(__AVX2__)
constexpr int lane_bytes = 32;
#else
constexpr int lane_bytes = 16;
#endif

/// The same quantity of several lines, which one instruction processes (a SIMD vector).
template <class Real>
struct Lanes {
  static constexpr int width = lane_bytes / static_cast<int>(sizeof(Real));
  using Native __attribute__((vector_size(lane_bytes))) = Real;

  Native v;

  /// Returns a vector of equal elements.
  ISOTHERM_INLINE static Lanes all(Real value) { return {value - Native{}}; }
  /// Loads from an address of any alignment.
  ISOTHERM_INLINE static Lanes load(Real const* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes.v, from, lane_bytes);
    return lanes;
  }
  /// Loads `count` < width elements; the others are 0.
  ISOTHERM_INLINE static Lanes load_some(Real const* from, std::int64_t count) {
    Real values[width] = {};  // NOLINT(modernize-avoid-c-arrays): a register
    for (std::int64_t n = 0; n < count; ++n) values[n] = from[n];
    return load(values);
  }
  ISOTHERM_INLINE void store(Real* to) const { __builtin_memcpy(to, &v, lane_bytes); }
  /// Stores the first `count` < width elements.
  ISOTHERM_INLINE void store_some(Real* to, std::int64_t count) const {
    Real values[width];  // NOLINT(modernize-avoid-c-arrays): a register
    store(values);
    for (std::int64_t n = 0; n < count; ++n) to[n] = values[n];
  }

  ISOTHERM_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {a.v + b.v}; }
  ISOTHERM_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {a.v - b.v}; }
  ISOTHERM_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {a.v * b.v}; }
  ISOTHERM_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v}; }
  ISOTHERM_INLINE friend Lanes operator-(Lanes a) { return {-a.v}; }
};

/// Returns multiply_add() of each element; see kernels/core/arithmetic.hpp.
template <class Real>
ISOTHERM_INLINE Lanes<Real> multiply_add(Lanes<Real> a, Lanes<Real> b, Lanes<Real> c) {
#if defined(ISOTHERM_EXACT)
  return a * b + c;
#elif defined(__AVX512F__)
  if constexpr (sizeof(Real) == sizeof(double)) {
    return {_mm512_fmadd_pd(a.v, b.v, c.v)};
  } else {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (sizeof(Real) == sizeof(double)) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
  } else {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
#else
  Lanes<Real> sum;
  for (int n = 0; n < Lanes<Real>::width; ++n)
    sum.v[n] = isotherm::multiply_add(a.v[n], b.v[n], c.v[n]);
  return sum;
#endif
}

/// Returns the elements of even number of two adjacent vectors as real parts, the others as
/// imaginary parts: adjacent lines form a complex line.
template <class Real>
ISOTHERM_INLINE Complex<Lanes<Real>> paired(Lanes<Real> lower, Lanes<Real> upper) {
  using Values = Lanes<Real>;
  return [&]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline)) {
    return Complex<Values>{{__builtin_shufflevector(lower.v, upper.v, (2 * n)...)},
                           {__builtin_shufflevector(lower.v, upper.v, (2 * n + 1)...)}};
  }
  (std::make_integer_sequence<int, Values::width>{});
}

/// Alternates elements of two vectors: those of the first or the last half of both.
template <bool last_half, class Real>
ISOTHERM_INLINE Lanes<Real> alternated(Lanes<Real> a, Lanes<Real> b) {
  constexpr int width = Lanes<Real>::width;
  constexpr int first = last_half ? width / 2 : 0;
  return [&]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline)) {
    return Lanes<Real>{
        __builtin_shufflevector(a.v, b.v, (first + n / 2 + (n % 2 == 1 ? width : 0))...)};
  }
  (std::make_integer_sequence<int, width>{});
}

/// Transposes a square of values, row n of which is rows[n].
template <class Real>
ISOTHERM_INLINE void transpose(Lanes<Real>* rows) {
  constexpr int width = Lanes<Real>::width;
  Lanes<Real> next[width];  // NOLINT(modernize-avoid-c-arrays): registers
  // Each round moves the highest bit of the row's number into the lowest of the column's.
#pragma GCC unroll 4
  for (int round = 1; round < width; round *= 2) {
#pragma GCC unroll 16
    for (int n = 0; n < width / 2; ++n) {
      next[2 * n] = alternated<false>(rows[n], rows[n + width / 2]);
      next[2 * n + 1] = alternated<true>(rows[n], rows[n + width / 2]);
    }
#pragma GCC unroll 16
    for (int n = 0; n < width; ++n) rows[n] = next[n];
  }
}

}  // namespace isotherm::cpu

namespace isotherm {

template <class Real>
struct ScalarOf<cpu::Lanes<Real>> {
  using Type = Real;
};

}  // namespace isotherm
