#pragma once

#include "kernels/transforms/fft/butterflies.hpp"
#include "kernels/transforms/fft/line_steps.hpp"

// The sine transform of a pair of lines whose N is a power of two, in the registers of N/16 threads
// (kernels/transforms/fft/line_steps.hpp describes the steps).
//
// The Fourier transform has stages of radix 8, N/64 and 8. In the first and the last stage thread t
// has butterflies t and N/8 − t, so the values at k and N − k meet in its registers. Only the
// exchanges between stages use shared memory. Thread 0 has butterflies 0 and N/16, each of which
// contains its mirrored values itself.

namespace isotherm::cuda {

/// The two real lines that a group of threads transforms.
using SinePair = Complex<double>;

/// Division of a transform of N intervals among threads.
template <int N>
struct SineShape {
  static constexpr int threads = N / 16;     ///< per pair of lines
  static constexpr int butterflies = N / 8;  ///< of the first and the last stage
  static constexpr int middle = N / 64;      ///< radix of the middle stage; 1 for none
  static_assert(N >= 64 && N <= 1024 && (N & (N - 1)) == 0);

  /// Returns the number of the second butterfly of thread t.
  static __device__ __forceinline__ int second(int t) { return t != 0 ? butterflies - t : threads; }
};

__device__ __forceinline__ SinePair selected(bool first, SinePair a, SinePair b) {
  return {first ? a.re : b.re, first ? a.im : b.im};
}

/// Returns a times exp(−πi/4).
__device__ __forceinline__ SinePair eighth_turn(SinePair a) {
  constexpr double root_half = 0.707106781186547524400844362104849039;
  return {root_half * (a.re + a.im), root_half * (a.im - a.re)};
}

/// Returns a times exp(−3πi/4).
__device__ __forceinline__ SinePair three_eighths_turn(SinePair a) {
  return times_minus_i(eighth_turn(a));
}

__device__ __forceinline__ void exchange(SinePair& a, SinePair& b) {
  SinePair const c = a;
  a = b;
  b = c;
}

/// Transforms 16 values: four butterflies of radix 4, twice.
__device__ __forceinline__ void butterfly16(SinePair* v) {
  constexpr double c = 0.923879532511286756128183189396788287;
  constexpr double s = 0.382683432365089771728459984030398867;
#pragma unroll
  for (int n = 0; n < 4; ++n) butterfly4(v[n], v[n + 4], v[n + 8], v[n + 12]);
  v[5] = product(v[5], {c, -s});
  v[6] = eighth_turn(v[6]);
  v[7] = product(v[7], {s, -c});
  v[9] = eighth_turn(v[9]);
  v[10] = times_minus_i(v[10]);
  v[11] = three_eighths_turn(v[11]);
  v[13] = product(v[13], {s, -c});
  v[14] = three_eighths_turn(v[14]);
  v[15] = product(v[15], {-c, s});
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
template <int radix>
__device__ __forceinline__ void turn(SinePair* v, SinePair root) {
  SinePair power = root;
  v[1] = product(v[1], power);
  if constexpr (radix == 4) {
    SinePair const square = product(root, root);
    v[2] = product(v[2], square);
    v[3] = product(v[3], product(square, root));
  } else if constexpr (radix >= 8) {
    SinePair const square = product(root, root);
    SinePair const cube = product(square, root);
    SinePair const fourth = product(square, square);
    v[2] = product(v[2], square);
    v[3] = product(v[3], cube);
    v[4] = product(v[4], fourth);
    v[5] = product(v[5], product(fourth, root));
    v[6] = product(v[6], product(fourth, square));
    v[7] = product(v[7], product(fourth, cube));
    if constexpr (radix == 16) {
      SinePair const eighth = product(fourth, fourth);
      SinePair const twelfth = product(eighth, fourth);
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

template <int radix>
__device__ __forceinline__ void transform_radix(SinePair* v) {
  if constexpr (radix == 16) {
    butterfly16(v);
  } else {
    butterfly<radix>(v);
  }
}

/// Computes the input of both butterflies of thread t.
///
/// The three functors return values of the lines by number of the butterfly (0, 1) and r < 4:
/// `even` s_2k, `odd` s_(2k+1) and `before` s_(2k−1), where k = butterfly + r N/8. For k = 0,
/// `before` returns s_(N−1) instead.
template <int N, class Even, class Odd, class Before>
__device__ __forceinline__ void enter_registers(int t, Even const& even, Odd const& odd,
                                                Before const& before, SinePair* v) {
  SinePair mirrored_first[4];
  SinePair mirrored_second[4];
  SinePair middle{};  // the value at N/2
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    SinePair e = even(0, r);
    SinePair const o = odd(0, r);
    SinePair b = before(0, r);
    if (r == 0) {
      middle = scaled(b, -2.0);
      if (t == 0) {
        e = {};
        b = scaled(o, -1.0);
      }
    }
    SpectralPair<double> const pair = hermitian(o - b, e);
    v[r] = pair.at;
    mirrored_first[r] = pair.mirrored;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    SpectralPair<double> const pair = hermitian(odd(1, r) - before(1, r), even(1, r));
    v[8 + r] = pair.at;
    mirrored_second[r] = pair.mirrored;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    v[8 + 7 - r] = selected(t != 0, mirrored_first[r], mirrored_second[r]);
    SinePair const own = r < 3 ? mirrored_first[(r + 1) & 3] : middle;
    v[7 - r] = selected(t != 0, mirrored_second[r], own);
  }
}

/// Computes the same from the values of nodes.
/// @param node  returns the value of a node k, 0 ≤ k < N; that of node 0 has no effect
template <int N, class Node>
__device__ __forceinline__ void enter_registers(int t, Node const& node, SinePair* v) {
  int const first[2] = {2 * t, 2 * SineShape<N>::second(t)};
  auto const k2 = [&](int butterfly, int r) {
    return first[butterfly] + 2 * SineShape<N>::butterflies * r;
  };
  enter_registers<N>(
      t, [&](int b, int r) { return node(k2(b, r)); },
      [&](int b, int r) { return node(k2(b, r) + 1); },
      [&](int b, int r) {
        bool const is_first = b == 0 && r == 0 && t == 0;
        return node(is_first ? N - 1 : k2(b, r) - 1);
      },
      v);
}

/// Passes the results of both butterflies of thread t to put(node, value, mirrored node, value
/// there). Node 0 is passed as a mirrored node once, with the value 0.
template <int N, class Put>
__device__ __forceinline__ void leave_registers(int t, double const* inverse_sines, double scale,
                                                SinePair const* v, Put const& put) {
  constexpr int butterflies = SineShape<N>::butterflies;
  auto const put_pair = [&](int node, SinePair g, SinePair mirrored_g, bool is_single) {
    SinePair const odd = scaled(g + mirrored_g, scale * inverse_sines[node]);
    SinePair const even = scaled(g - mirrored_g, scale);
    put(node, odd + even, is_single ? 0 : N - node, is_single ? SinePair{} : odd - even);
  };
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    SinePair const mirrored_g = selected(t != 0, v[8 + 7 - r], v[r != 0 ? 8 - r : 4]);
    if (r == 0) {  // thread 0 has no value at node 0, but that at N/2
      put_pair(t != 0 ? t : N / 2, selected(t != 0, v[0], v[4]), mirrored_g, t == 0);
    } else {
      put_pair(t + butterflies * r, v[r], mirrored_g, false);
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    SinePair const mirrored_g = selected(t != 0, v[7 - r], v[8 + 7 - r]);
    put_pair(SineShape<N>::second(t) + butterflies * r, v[8 + r], mirrored_g, false);
  }
}

/// Permutes groups of eight places against bank conflicts of the first stage.
__device__ __forceinline__ int swizzled(int place) { return place ^ ((place >> 3) & 7); }

/// Applies the middle stage, from swizzled places to plain ones.
template <int N, class At, class Sync>
__device__ __forceinline__ void middle_stage(int t, At const& at, SinePair* v,
                                             SinePair const* roots, Sync const& sync) {
  constexpr int radix = SineShape<N>::middle;
  constexpr int done = 8;
#pragma unroll
  for (int m = 0; m < 16 / radix; ++m) {
    int const b = t + m * SineShape<N>::threads;
#pragma unroll
    for (int r = 0; r < radix; ++r) v[m * radix + r] = at(swizzled(b + r * (N / radix)));
    turn<radix>(v + m * radix, roots[b % done * (N / (done * radix))]);
    transform_radix<radix>(v + m * radix);
  }
  sync();
#pragma unroll
  for (int m = 0; m < 16 / radix; ++m) {
    int const b = t + m * SineShape<N>::threads;
    int const place = b / done * done * radix + b % done;
#pragma unroll
    for (int r = 0; r < radix; ++r) at(place + r * done) = v[m * radix + r];
  }
  sync();
}

/// Transforms the values of thread t's butterflies.
/// @param at  returns a place in the shared memory of the pair of lines
/// @param sync  waits for all threads of the pair
template <int N, class At, class Sync>
__device__ __forceinline__ void transform_registers(int t, At const& at, SinePair* v,
                                                    SinePair const* roots, Sync const& sync) {
  using Shape = SineShape<N>;
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
