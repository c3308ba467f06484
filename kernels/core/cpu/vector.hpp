#pragma once

#include "kernels/core/arithmetic.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace isotherm::cpu {

/// Adjacent values that one instruction processes (a SIMD vector). Compilers hold arrays of these
/// in registers, which they do not with arrays of numbers that loops add to.
template <class Real>
struct Vector {
  static constexpr int width = 1;
  Real v;
  /// Returns a vector of equal elements.
  static Vector all(Real value) { return {value}; }
  /// Loads from an address of any alignment.
  static Vector load(Real const* from) { return {*from}; }
  void store(Real* to) const { *to = v; }
  /// Stores past the cache, without reading the old content (a streaming store).
  /// @pre `to` is aligned to the size of the vector.
  void stream(Real* to) const { *to = v; }
  static Vector product(Vector a, Vector b) { return {a.v * b.v}; }
  static Vector sum(Vector a, Vector b) { return {a.v + b.v}; }
  /// Returns a * b + c, rounded once.
  static Vector fused(Vector a, Vector b, Vector c) { return {multiply_add(a.v, b.v, c.v)}; }
};

#if defined(__AVX512F__)

template <>
struct Vector<float> {
  static constexpr int width = 16;
  __m512 v;
  static Vector all(float value) { return {_mm512_set1_ps(value)}; }
  static Vector load(float const* from) { return {_mm512_loadu_ps(from)}; }
  void store(float* to) const { _mm512_storeu_ps(to, v); }
  void stream(float* to) const { _mm512_stream_ps(to, v); }
  static Vector product(Vector a, Vector b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static Vector sum(Vector a, Vector b) { return {_mm512_add_ps(a.v, b.v)}; }
  static Vector fused(Vector a, Vector b, Vector c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
};

template <>
struct Vector<double> {
  static constexpr int width = 8;
  __m512d v;
  static Vector all(double value) { return {_mm512_set1_pd(value)}; }
  static Vector load(double const* from) { return {_mm512_loadu_pd(from)}; }
  void store(double* to) const { _mm512_storeu_pd(to, v); }
  void stream(double* to) const { _mm512_stream_pd(to, v); }
  static Vector product(Vector a, Vector b) { return {_mm512_mul_pd(a.v, b.v)}; }
  static Vector sum(Vector a, Vector b) { return {_mm512_add_pd(a.v, b.v)}; }
  static Vector fused(Vector a, Vector b, Vector c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
};

#elif defined(__AVX2__) && defined(__FMA__)

template <>
struct Vector<float> {
  static constexpr int width = 8;
  __m256 v;
  static Vector all(float value) { return {_mm256_set1_ps(value)}; }
  static Vector load(float const* from) { return {_mm256_loadu_ps(from)}; }
  void store(float* to) const { _mm256_storeu_ps(to, v); }
  void stream(float* to) const { _mm256_stream_ps(to, v); }
  static Vector product(Vector a, Vector b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static Vector sum(Vector a, Vector b) { return {_mm256_add_ps(a.v, b.v)}; }
  static Vector fused(Vector a, Vector b, Vector c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
};

template <>
struct Vector<double> {
  static constexpr int width = 4;
  __m256d v;
  static Vector all(double value) { return {_mm256_set1_pd(value)}; }
  static Vector load(double const* from) { return {_mm256_loadu_pd(from)}; }
  void store(double* to) const { _mm256_storeu_pd(to, v); }
  void stream(double* to) const { _mm256_stream_pd(to, v); }
  static Vector product(Vector a, Vector b) { return {_mm256_mul_pd(a.v, b.v)}; }
  static Vector sum(Vector a, Vector b) { return {_mm256_add_pd(a.v, b.v)}; }
  static Vector fused(Vector a, Vector b, Vector c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
};

#endif

/// Makes streamed values visible to other threads (a store fence).
inline void end_vector_streams() {
#if defined(__AVX2__)
  _mm_sfence();
#endif
}

/// Returns multiply_add() of each element.
template <class Real>
Vector<Real> multiply_add_each(Vector<Real> a, Vector<Real> b, Vector<Real> c) {
#if defined(ISOTHERM_EXACT)
  return Vector<Real>::sum(Vector<Real>::product(a, b), c);
#else
  return Vector<Real>::fused(a, b, c);
#endif
}

}  // namespace isotherm::cpu
