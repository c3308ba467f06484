#pragma once

#include "kernels/transforms/fft/butterflies.hpp"

// The Fourier transform of a bundle of lines whose N is a power of two, in the registers of N/16
// threads.
//
// It has stages of radix 8, then one or two middle stages, and a last one of radix 8. In the first
// and the last stage thread t has butterflies t and N/8 − t, so the values at k and N − k meet in
// its registers. Only the exchanges between stages use shared memory. Thread 0 has butterflies 0
// and N/16, each of which contains its mirrored values itself.

namespace isotherm::cuda {

/// Division of a transform of N intervals among threads.
template <int N>
struct RegisterShape {
  static_assert(N >= 64 && N <= 8192 && N % 64 == 0);

  static constexpr int threads = N / 16;     ///< per bundle of lines
  static constexpr int butterflies = N / 8;  ///< of the first and the last stage
  /// Radix of the second of two middle stages; 1 for none.
  static constexpr int second_middle = N <= 1024 ? 1 : N == 2048 ? 4 : 8;
  /// Radix of the first middle stage; 1 for none.
  static constexpr int middle = N / 64 / second_middle;

  /// Returns the number of butterflies of a thread in a stage, rounded up.
  static constexpr int per_thread(int radix) { return (16 + radix - 1) / radix; }
  /// Number of values that a thread has in its registers: 16, more in uneven middle stages.
  static constexpr int values = per_thread(middle) * middle > 16 ? per_thread(middle) * middle : 16;

  /// Returns the number of the second butterfly of thread t.
  static __device__ __forceinline__ int second(int t) { return t != 0 ? butterflies - t : threads; }
};

/// Returns a times exp(−πi/4).
template <class Value>
__device__ __forceinline__ Complex<Value> eighth_turn(Complex<Value> a) {
  constexpr double root_half = 0.707106781186547524400844362104849039;
  Value const c = all_of<Value>(static_cast<Scalar<Value>>(root_half));
  return {c * (a.re + a.im), c * (a.im - a.re)};
}

/// Returns a times exp(−3πi/4).
template <class Value>
__device__ __forceinline__ Complex<Value> three_eighths_turn(Complex<Value> a) {
  return times_minus_i(eighth_turn(a));
}

template <class Value>
__device__ __forceinline__ void exchange(Complex<Value>& a, Complex<Value>& b) {
  Complex<Value> const c = a;
  a = b;
  b = c;
}

/// Transforms 16 values: four butterflies of radix 4, twice.
template <class Value>
__device__ __forceinline__ void butterfly16(Complex<Value>* v) {
  using Number = Scalar<Value>;
  constexpr auto c = static_cast<Number>(0.923879532511286756128183189396788287);
  constexpr auto s = static_cast<Number>(0.382683432365089771728459984030398867);
#pragma unroll
  for (int n = 0; n < 4; ++n) butterfly4(v[n], v[n + 4], v[n + 8], v[n + 12]);
  v[5] = product(v[5], Complex<Number>{c, -s});
  v[6] = eighth_turn(v[6]);
  v[7] = product(v[7], Complex<Number>{s, -c});
  v[9] = eighth_turn(v[9]);
  v[10] = times_minus_i(v[10]);
  v[11] = three_eighths_turn(v[11]);
  v[13] = product(v[13], Complex<Number>{s, -c});
  v[14] = three_eighths_turn(v[14]);
  v[15] = product(v[15], Complex<Number>{-c, s});
#pragma unroll
  for (int k = 0; k < 4; ++k) butterfly4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
  exchange(v[1], v[4]);
  exchange(v[2], v[8]);
  exchange(v[3], v[12]);
  exchange(v[6], v[9]);
  exchange(v[7], v[13]);
  exchange(v[11], v[14]);
}

/// Multiplies v_r by the r-th power of `root`, r > 0.
template <int radix, class Value>
__device__ __forceinline__ void turn(Complex<Value>* v, Complex<Scalar<Value>> root) {
  Complex<Scalar<Value>> powers[radix];
  powers[1] = root;
#pragma unroll
  for (int r = 1; r < radix; ++r) {
    if (r > 1) powers[r] = product(powers[r / 2], powers[r - r / 2]);
    v[r] = product(v[r], powers[r]);
  }
}

/// A butterfly of radix a · b, from butterflies of the coprime radices a and b, without turns.
///
/// Source: I. Good, The interaction algorithm and practical Fourier analysis, J. Royal Statistical
/// Society B 20 (1958).
template <int a, int b, class Value>
__device__ __forceinline__ void coprime_butterfly(Complex<Value>* v) {
  constexpr int radix = a * b;
  Complex<Value> rows[b][a];
#pragma unroll
  for (int m = 0; m < b; ++m) {
#pragma unroll
    for (int n = 0; n < a; ++n) rows[m][n] = v[(b * n + a * m) % radix];
    butterfly<a>(rows[m]);
  }
#pragma unroll
  for (int n = 0; n < a; ++n) {
    Complex<Value> column[b];
#pragma unroll
    for (int m = 0; m < b; ++m) column[m] = rows[m][n];
    butterfly<b>(column);
#pragma unroll
    for (int k = n; k < radix; k += a) v[k] = column[k % b];
  }
}

template <int radix, class Value>
__device__ __forceinline__ void transform_radix(Complex<Value>* v) {
  if constexpr (radix == 16) {
    butterfly16(v);
  } else if constexpr (radix == 6 || radix == 10) {
    coprime_butterfly<2, radix / 2>(v);
  } else if constexpr (radix == 12) {
    coprime_butterfly<4, 3>(v);
  } else {
    butterfly<radix>(v);
  }
}

/// Permutes groups of eight places against bank conflicts of the first stage.
__device__ __forceinline__ int swizzled(int place) { return place ^ ((place >> 3) & 7); }

/// Applies a middle stage.
/// @tparam done  product of the radices of earlier stages; if it is 8, places are still swizzled
template <int N, int radix, int done, class Value, class At, class Sync>
__device__ __forceinline__ void middle_stage(int t, At const& at, Complex<Value>* v,
                                             Complex<Scalar<Value>> const* roots,
                                             Sync const& sync) {
  constexpr int count = N / radix;
  constexpr int per_thread = RegisterShape<N>::per_thread(radix);
  auto const butterfly_of = [&](int m) { return t + m * RegisterShape<N>::threads; };
#pragma unroll
  for (int m = 0; m < per_thread; ++m) {
    // Threads without a butterfly repeat the last one.
    int const b =
        count % RegisterShape<N>::threads == 0 ? butterfly_of(m) : min(butterfly_of(m), count - 1);
#pragma unroll
    for (int r = 0; r < radix; ++r) {
      int const place = b + r * count;
      v[m * radix + r] = at(done == 8 ? swizzled(place) : place);
    }
    turn<radix>(v + m * radix, roots[b % done * (N / (done * radix))]);
    transform_radix<radix>(v + m * radix);
  }
  sync();
#pragma unroll
  for (int m = 0; m < per_thread; ++m) {
    int const b = butterfly_of(m);
    if (count % RegisterShape<N>::threads != 0 && b >= count) continue;
    int const place = b / done * done * radix + b % done;
#pragma unroll
    for (int r = 0; r < radix; ++r) at(place + r * done) = v[m * radix + r];
  }
  sync();
}

/// Transforms the values of thread t's butterflies.
/// @param v  RegisterShape::values of them; 16 are input and output
/// @param at  returns a place in the shared memory of the bundle, which has N of them
/// @param sync  waits for all threads of the bundle
template <int N, class Value, class At, class Sync>
__device__ __forceinline__ void transform_registers(int t, At const& at, Complex<Value>* v,
                                                    Complex<Scalar<Value>> const* roots,
                                                    Sync const& sync) {
  using Shape = RegisterShape<N>;
  int const second = Shape::second(t);
  butterfly8(v);
  butterfly8(v + 8);
  sync();
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    at(swizzled(8 * t + r)) = v[r];
    at(swizzled(8 * second + r)) = v[8 + r];
  }
  sync();
  if constexpr (Shape::middle > 1) middle_stage<N, Shape::middle, 8>(t, at, v, roots, sync);
  if constexpr (Shape::second_middle > 1) {
    middle_stage<N, Shape::second_middle, 8 * Shape::middle>(t, at, v, roots, sync);
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    int const place = t + Shape::butterflies * r;
    int const other = second + Shape::butterflies * r;
    v[r] = at(Shape::middle > 1 ? place : swizzled(place));
    v[8 + r] = at(Shape::middle > 1 ? other : swizzled(other));
  }
  turn<8>(v, roots[t]);
  butterfly8(v);
  turn<8>(v + 8, roots[second]);
  butterfly8(v + 8);
}

}  // namespace isotherm::cuda
