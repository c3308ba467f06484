#pragma once

#include <cstdint>

#include "kernels/transforms/fft/complex.hpp"

// The steps before and behind the Fourier transform of a line. They turn it into a sine or cosine
// transform.
//
// A line of N intervals has nodes 0 to N. Two real lines form a complex one. The steps work on
// spectral pairs (k, N − k), so each output depends on two outputs of the Fourier transform
//
//   g_j = Σ_k w_k exp(−2πi j k / N).
//
// If the input w is Hermitian for each of the two real lines, g is real for each of them: their
// values are its real and its imaginary part. With such an input w_k = p + i q and w_(N−k) = p − i
// q, where p and q hold the real and the imaginary parts for both lines.
//
// The sine transform takes p_k = s_(2k+1) − s_(2k−1) and q_k = s_2k. Then
//
//   g_j = 4 sin(πj/N) S_odd(j) + 2 S_even(j),
//
// and g_(N−j) has the opposite sign of S_even. S_odd and S_even are the sums over odd and even
// points. This inverts the order of the steps in W. Press et al., Numerical Recipes, section 12.4
// (sinft), and so avoids its running sums. The cosine transform exchanges p and q. The division by
// sines multiplies the rounding errors of g by N/(2πj) near the ends. A smooth line consists mostly
// of its modes 0 and 1, so transforms to points leave these out of the Fourier transform and add
// them afterwards. Rounding errors are then relative to the other modes. The transforms for one
// Dirichlet and one Neumann end follow J. Makhoul, A fast cosine transform in one and two
// dimensions, IEEE Trans. ASSP 28 (1980).

namespace isotherm {

/// The transforms of a line. All are unnormalised; LineSteps::scale completes them.
enum class LineForm : std::uint8_t {
  sine,                ///< x_j = Σ s_k sin(πjk/N): its own inverse but for a factor
  cosine,              ///< x_j = s_0/2 + Σ s_k cos(πjk/N) + (−1)^j s_N/2, likewise
  quarter_to_modes,    ///< x_j = s_0/2 + Σ s_k cos(π(j + 1/2)k/N)
  quarter_to_points,   ///< x_j = Σ s_k cos(πj(k + 1/2)/N)
  periodic_to_modes,   ///< x_j = Σ s_k cos(2πjk/N), and x_(N−j) the same with sines
  periodic_to_points,  ///< the inverse
};

/// Where the values of a line lie among its nodes: value n at node first + n · step.
struct NodeOrder {
  int first = 0;
  int step = 1;
};

/// One direction of a transform of lines. The tables lie in the memory of the queue's backend.
template <class Real>
struct LineSteps {
  LineForm form = LineForm::sine;
  int length = 1;  ///< N, the length of the Fourier transform
  int count = 1;   ///< number of points, and of modes
  Real scale = 1;  ///< factor of every output
  /// Factor of the input at nodes 0 and N; with 2, amounts of half cells become values.
  Real end_scale = 1;
  NodeOrder from;
  NodeOrder to;
  Complex<Real> const* quarter_turns = nullptr;  ///< cos and sin of πk/(2N), k ≤ N/2; quarter waves
  Real const* inverse_sines = nullptr;           ///< 1 / (2 sin(πk/N)), k ≤ N/2; sine and cosine
  /// Mode 1 at points k ≤ N/2, sin(πk/N) or cos(πk/N), if modes 0 and 1 are added after the
  /// Fourier transform; else null.
  Real const* first_mode = nullptr;
};

/// Two values that belong to k and N − k.
template <class Value>
struct SpectralPair {
  Complex<Value> at;
  Complex<Value> mirrored;
};

/// The long waves of a pair of lines, which a transform to points adds after the Fourier transform.
template <class Value>
struct LongWaves {
  Complex<Value> constant{};  ///< mode 0 of a cosine transform
  Complex<Value> first{};     ///< mode 1
};

/// True for sine and cosine transforms, whose spectral pair k depends on nodes 2k − 1, 2k and
/// 2k + 1. Only these have long waves that are left out.
template <LineForm form>
constexpr bool uses_neighbours = form == LineForm::sine || form == LineForm::cosine;

/// Returns the value of a node with its long waves.
/// @pre `steps.first_mode` is not null
template <LineForm form, class Real, class Value>
ISOTHERM_INLINE Complex<Value> with_long_waves(LineSteps<Real> const& steps, int node,
                                               LongWaves<Value> const& waves,
                                               Complex<Value> value) {
  static_assert(uses_neighbours<form>);
  bool const is_near = 2 * node <= steps.length;
  Real const weight =
      Real(4) * steps.scale * steps.first_mode[is_near ? node : steps.length - node];
  if constexpr (form == LineForm::sine) {
    return multiply_add(waves.first, weight, value);
  } else {
    return multiply_add(waves.first, is_near ? weight : -weight,
                        value + scaled(waves.constant, Real(2) * steps.scale));
  }
}

/// Returns the index of the Fourier transform that belongs to N − k.
ISOTHERM_INLINE int mirrored(int k, int length) { return k == 0 ? 0 : length - k; }

/// Returns the order in which a quarter-wave transform visits points or modes: even ones upwards,
/// then odd ones downwards.
ISOTHERM_INLINE int quarter_order(int k, int length) {
  return 2 * k < length ? 2 * k : 2 * (length - 1 - k) + 1;
}

/// Returns w_k and w_(N−k) of lines whose p and q are given.
template <class Value>
ISOTHERM_INLINE SpectralPair<Value> hermitian(Complex<Value> p, Complex<Value> q) {
  Complex<Value> const turned = times_i(q);
  return {p + turned, p - turned};
}

/// Returns the input of the Fourier transform at k and N − k, 0 ≤ k ≤ N/2.
/// @param at  returns the value of a node as Complex<Value>
template <LineForm form, class Real, class At>
ISOTHERM_INLINE auto enter(LineSteps<Real> const& steps, int k, At const& at) {
  using NodeValue = decltype(at(0));
  using Pair = SpectralPair<decltype(at(0).re)>;
  int const n = steps.length;
  bool const is_first = k == 0;
  bool const is_middle = 2 * k == n;  // q is 0 at both: the pair is a single value
  if constexpr (form == LineForm::sine) {
    if (is_first || is_middle) {
      NodeValue const difference = scaled(at(is_first ? 1 : n - 1), Real(is_first ? 2 : -2));
      return Pair{difference, difference};
    }
    return hermitian(at(2 * k + 1) - at(2 * k - 1), at(2 * k));
  } else if constexpr (form == LineForm::cosine) {
    if (is_first || is_middle) return Pair{at(2 * k), at(2 * k)};
    return hermitian(at(2 * k), at(2 * k + 1) - at(2 * k - 1));
  } else if constexpr (form == LineForm::quarter_to_modes) {
    if (is_first) return Pair{at(0), at(0)};
    Complex<Real> const turn = steps.quarter_turns[k];
    NodeValue const a = at(k);
    NodeValue const b = at(n - k);
    NodeValue const p = multiply_add(a, turn.re, scaled(b, turn.im));
    if (is_middle) return Pair{p, p};
    return hermitian(p, multiply_add(b, turn.re, scaled(a, -turn.im)));
  } else if constexpr (form == LineForm::periodic_to_points) {
    if (is_first || is_middle) return Pair{at(k), at(k)};
    return hermitian(at(k), at(n - k));
  } else if constexpr (form == LineForm::quarter_to_points) {
    return Pair{at(quarter_order(k, n)), at(quarter_order(mirrored(k, n), n))};
  } else {
    return Pair{at(k), at(mirrored(k, n))};
  }
}

/// Stores the results that depend on outputs k and N − k of the Fourier transform.
/// @param g  the outputs, not yet scaled; `odd_sum` is that of odd_part_sum(), for cosines and k =
/// 0
/// @param put  put(node, value) stores the value of a node
template <LineForm form, class Real, class Value, class Put>
ISOTHERM_INLINE void leave(LineSteps<Real> const& steps, int k, SpectralPair<Value> g,
                           Complex<Value> odd_sum, Put const& put) {
  int const n = steps.length;
  Real const scale = steps.scale;
  if constexpr (form == LineForm::sine) {
    if (k == 0) return;
    Complex<Value> const odd = scaled(g.at + g.mirrored, steps.inverse_sines[k]);
    Complex<Value> const even = g.at - g.mirrored;
    put(k, scaled(odd + even, scale));
    put(n - k, scaled(odd - even, scale));
  } else if constexpr (form == LineForm::cosine) {
    Complex<Value> const odd =
        k == 0 ? scaled(odd_sum, Real(4)) : scaled(g.mirrored - g.at, steps.inverse_sines[k]);
    Complex<Value> const even = g.at + g.mirrored;
    put(k, scaled(even + odd, scale));
    put(n - k, scaled(even - odd, scale));
  } else if constexpr (form == LineForm::quarter_to_modes) {
    put(quarter_order(k, n), scaled(g.at, scale));
    put(quarter_order(mirrored(k, n), n), scaled(g.mirrored, scale));
  } else if constexpr (form == LineForm::periodic_to_points) {
    put(k, scaled(g.at, scale));
    put(mirrored(k, n), scaled(g.mirrored, scale));
  } else {
    // cosine and sine sums of both real lines
    Complex<Value> const cosines = scaled(g.at + g.mirrored, scale);
    if (k == 0) return put(0, cosines);
    Complex<Value> const sines = scaled(times_i(g.at - g.mirrored), scale);
    bool const is_middle = 2 * k == n;
    if constexpr (form == LineForm::periodic_to_modes) {
      put(k, cosines);
      if (!is_middle) put(n - k, sines);
    } else {
      Complex<Real> const turn = steps.quarter_turns[k];
      put(k, multiply_add(cosines, turn.re, scaled(sines, -turn.im)));
      if (!is_middle) put(n - k, multiply_add(sines, turn.re, scaled(cosines, turn.im)));
    }
  }
}

/// Number of partial sums that odd_part_sum() consists of.
constexpr int odd_sum_parts = 8;

/// Returns partial sum `part` of the values at odd nodes, with weight 1/2 at node N. Cosine
/// transforms need the sum at their ends, where 1/sin is infinite.
template <class Real, class At>
ISOTHERM_INLINE auto odd_part_sum(LineSteps<Real> const& steps, int part, At const& at) {
  int const n = steps.length;
  decltype(at(0)) sum{};
  for (int node = 2 * part + 1; node <= n; node += 2 * odd_sum_parts) {
    sum = multiply_add(at(node), Real(node == n ? 0.5 : 1.0), sum);
  }
  return sum;
}

/// Returns the sum of all parts, in pairs.
template <class Value>
ISOTHERM_INLINE Complex<Value> sum_of_parts(Complex<Value> const* parts) {
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
         ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

}  // namespace isotherm
