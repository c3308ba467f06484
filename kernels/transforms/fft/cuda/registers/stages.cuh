#pragma once

#include "kernels/transforms/fft/butterflies.hpp"

// The Fourier transform of a bundle of lines whose N is a power of two, in the registers of N/16
// threads.
//
// It has stages of radix 8, N/64 and 8. In the first and the last stage thread t
// has butterflies t and N/8 − t, so the values at k and N − k meet in its registers. Only the
// exchanges between stages use shared memory. Thread 0 has butterflies 0 and N/16, each of which
// contains its mirrored values itself.

namespace isotherm::cuda {

/// Division of a transform of N intervals among threads.
template <int N>
struct RegisterShape {
  static constexpr int threads = N / 16;     ///< per bundle of lines
  static constexpr int butterflies = N / 8;  ///< of the first and the last stage
  static constexpr int middle = N / 64;      ///< radix of the middle stage; 1 for none
  static_assert(N >= 64 && N <= 1024 && (N & (N - 1)) == 0);

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

/// Multiplies v_r by the r-th power of `root`.
template <int radix, class Value>
__device__ __forceinline__ void turn(Complex<Value>* v, Complex<Scalar<Value>> root) {
  using Root = Complex<Scalar<Value>>;
  v[1] = product(v[1], root);
  if constexpr (radix == 4) {
    Root const square = product(root, root);
    v[2] = product(v[2], square);
    v[3] = product(v[3], product(square, root));
  } else if constexpr (radix >= 8) {
    Root const square = product(root, root);
    Root const cube = product(square, root);
    Root const fourth = product(square, square);
    v[2] = product(v[2], square);
    v[3] = product(v[3], cube);
    v[4] = product(v[4], fourth);
    v[5] = product(v[5], product(fourth, root));
    v[6] = product(v[6], product(fourth, square));
    v[7] = product(v[7], product(fourth, cube));
    if constexpr (radix == 16) {
      Root const eighth = product(fourth, fourth);
      Root const twelfth = product(eighth, fourth);
      v[8] = product(v[8], eighth);
      v[9] = product(v[9], product(eighth, root));
      v[10] = product(v[10], product(eighth, square));
      v[11] = product(v[11], product(eighth, cube));
      v[12] = product(v[12], twelfth);
      v[13] = product(v[13], product(twelfth, root));
      v[14] = product(v[14], product(twelfth, square));
      v[15] = product(v[15], product(twelfth, cube));
    }
  }
}

template <int radix, class Value>
__device__ __forceinline__ void transform_radix(Complex<Value>* v) {
  if constexpr (radix == 16) {
    butterfly16(v);
  } else {
    butterfly<radix>(v);
  }
}

/// Permutes groups of eight places against bank conflicts of the first stage.
__device__ __forceinline__ int swizzled(int place) { return place ^ ((place >> 3) & 7); }

/// Applies the middle stage, from swizzled places to plain ones.
template <int N, class Value, class At, class Sync>
__device__ __forceinline__ void middle_stage(int t, At const& at, Complex<Value>* v,
                                             Complex<Scalar<Value>> const* roots,
                                             Sync const& sync) {
  constexpr int radix = RegisterShape<N>::middle;
  constexpr int done = 8;
#pragma unroll
  for (int m = 0; m < 16 / radix; ++m) {
    int const b = t + m * RegisterShape<N>::threads;
#pragma unroll
    for (int r = 0; r < radix; ++r) v[m * radix + r] = at(swizzled(b + r * (N / radix)));
    turn<radix>(v + m * radix, roots[b % done * (N / (done * radix))]);
    transform_radix<radix>(v + m * radix);
  }
  sync();
#pragma unroll
  for (int m = 0; m < 16 / radix; ++m) {
    int const b = t + m * RegisterShape<N>::threads;
    int const place = b / done * done * radix + b % done;
#pragma unroll
    for (int r = 0; r < radix; ++r) at(place + r * done) = v[m * radix + r];
  }
  sync();
}

/// Transforms the values of thread t's butterflies.
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
  if constexpr (Shape::middle > 1) middle_stage<N>(t, at, v, roots, sync);
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
