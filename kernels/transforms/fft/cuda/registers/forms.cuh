#pragma once

#include <type_traits>

#include "kernels/transforms/fft/cuda/registers/line_bundle.cuh"
#include "kernels/transforms/fft/cuda/registers/stages.cuh"
#include "kernels/transforms/fft/line_steps.hpp"

// The steps of line_steps.hpp before and behind a Fourier transform in registers.
//
// Slot 4 b + r of thread t, b < 2 and r < 4, is the spectral pair (k, N − k) whose k is butterfly b
// of the thread plus r N/8. Both values are in the registers of the thread. Slot 0 of thread 0
// holds k = 0 and k = N/2 instead, the two values that are their own mirror images.

namespace isotherm::cuda {

constexpr int slots = 8;

/// Returns k of a slot.
template <int N>
__device__ __forceinline__ int slot_index(int t, int slot) {
  int const butterfly = slot < 4 ? t : RegisterShape<N>::second(t);
  return butterfly + RegisterShape<N>::butterflies * (slot % 4);
}

/// Returns N − k of a slot, N/2 in slot 0 of thread 0.
template <int N>
__device__ __forceinline__ int opposite_index(int t, int slot) {
  bool const is_first = slot == 0 && t == 0;
  return is_first ? N / 2 : N - slot_index<N>(t, slot);
}

/// Adjacent places of a bundle in shared memory for its long waves: modes 0 and 1.
constexpr int wave_places = 2;

/// Calls act(form) with the form as a constant.
/// @tparam forms  all forms that are possible; the code of each is generated
template <LineForm... forms, class Act>
__device__ __forceinline__ void with_form(LineForm form, Act const& act) {
  if constexpr (sizeof...(forms) == 1) {
    (act(std::integral_constant<LineForm, forms>{}), ...);
  } else {
    (void)((form == forms && (act(std::integral_constant<LineForm, forms>{}), true)) || ...);
  }
}

/// The input of a transform by slots, from a function that returns the value of a node.
template <int N, LineForm form, class Node>
class NodeInput {
 public:
  __device__ __forceinline__ NodeInput(int t, Node const& node) : t_(t), node_(node) {}

  /// Returns the value of node 2k. That of node 0 of a sine is arbitrary, but finite.
  [[nodiscard]] __device__ __forceinline__ auto even(int slot) const {
    bool const is_missing = form == LineForm::sine && slot == 0 && t_ == 0;
    return node_(is_missing ? 1 : 2 * index(slot));
  }
  /// Returns the value of node 2k + 1.
  [[nodiscard]] __device__ __forceinline__ auto odd(int slot) const {
    return node_(2 * index(slot) + 1);
  }
  /// Returns the value of node 2k − 1; for k = 0 that of the last node.
  [[nodiscard]] __device__ __forceinline__ auto before(int slot) const {
    constexpr int last = form == LineForm::sine ? N - 1 : N;
    bool const is_first = slot == 0 && t_ == 0;
    return node_(is_first ? last : 2 * index(slot) - 1);
  }
  /// Returns the value of the node of k.
  [[nodiscard]] __device__ __forceinline__ auto at(int slot) const {
    return node_(node_of(index(slot)));
  }
  /// Returns the value of the node of N − k, of N/2 in slot 0 of thread 0.
  [[nodiscard]] __device__ __forceinline__ auto opposite(int slot) const {
    return node_(node_of(opposite_index<N>(t_, slot)));
  }

 private:
  [[nodiscard]] __device__ __forceinline__ int index(int slot) const {
    return slot_index<N>(t_, slot);
  }
  [[nodiscard]] __device__ __forceinline__ static int node_of(int k) {
    return form == LineForm::quarter_to_points ? quarter_order(k, N) : k;
  }

  int t_;
  Node const& node_;
};

/// Returns the spectral pair of a slot for forms that use neighbours.
/// @param middle  set to the value at N/2 if slot is 0; valid in thread 0
/// @param odd_sum  increased by the odd node of the slot, for cosines
/// @param waves  place of the long waves, if they are left out
template <LineForm form, class Real, class Value, class Input>
__device__ __forceinline__ SpectralPair<Value> enter_neighbours(
    int t, int slot, LineSteps<Real> const& steps, Input const& input, Complex<Value>& middle,
    Complex<Value>& odd_sum, Complex<Value>* waves) {
  Complex<Value> even = input.even(slot);
  Complex<Value> odd = input.odd(slot);
  Complex<Value> before = input.before(slot);
  if (slot == 0 && t < 2 && steps.first_mode != nullptr) {
    if (t == 0) {
      waves[0] = even;
      waves[1] = odd;
      even = odd = {};
    } else {
      before = {};  // node 1
    }
  }
  Complex<Value> difference = odd - before;
  bool const is_first = slot == 0 && t == 0;
  if constexpr (form == LineForm::sine) {
    if (slot == 0) middle = scaled(before, Real(-2));
    if (is_first) {
      difference = scaled(odd, Real(2));
      even = {};
    }
    return hermitian(difference, even);
  } else {
    odd_sum = odd_sum + odd;
    if (slot == 0) middle = scaled(before, steps.end_scale);
    if (is_first) {
      difference = {};
      even = scaled(even, steps.end_scale);
    }
    return hermitian(even, difference);
  }
}

/// Returns the spectral pair of a slot for the other forms; see enter_neighbours().
template <int N, LineForm form, class Real, class Value, class Input>
__device__ __forceinline__ SpectralPair<Value> enter_opposites(int t, int slot,
                                                               LineSteps<Real> const& steps,
                                                               Input const& input,
                                                               Complex<Value>& middle) {
  constexpr auto root_two = static_cast<Real>(1.41421356237309504880168872420969808);
  Complex<Value> a = input.at(slot);
  Complex<Value> b = input.opposite(slot);
  bool const is_first = slot == 0 && t == 0;
  if (slot == 0) middle = form == LineForm::quarter_to_modes ? scaled(b, root_two) : b;
  if constexpr (form == LineForm::quarter_to_modes) {
    if (is_first) a = scaled(a, steps.end_scale);
    Complex<Real> const turn = steps.quarter_turns[slot_index<N>(t, slot)];
    Complex<Value> const p = multiply_add(a, turn.re, scaled(b, turn.im));
    b = multiply_add(b, turn.re, scaled(a, -turn.im));
    a = p;
  }
  if constexpr (form == LineForm::quarter_to_modes || form == LineForm::periodic_to_points) {
    if (is_first) b = {};
    return hermitian(a, b);
  } else {
    return {a, b};
  }
}

/// Computes the input of both butterflies of thread t.
/// @param input  the values of the nodes by slot; see NodeInput
/// @param odd_sum  set to the sum of this thread's odd nodes, for cosines
/// @param waves  place of the long waves of the bundle in shared memory
template <int N, LineForm form, class Real, class Value, class Input>
__device__ __forceinline__ void enter_registers(int t, LineSteps<Real> const& steps,
                                                Input const& input, Complex<Value>* v,
                                                Complex<Value>& odd_sum, Complex<Value>* waves) {
  Complex<Value> mirrored_values[slots];
  Complex<Value> middle{};
  odd_sum = {};
#pragma unroll
  for (int slot = 0; slot < slots; ++slot) {
    SpectralPair<Value> pair;
    if constexpr (uses_neighbours<form>) {
      pair = enter_neighbours<form, Real, Value>(t, slot, steps, input, middle, odd_sum, waves);
    } else {
      pair = enter_opposites<N, form, Real, Value>(t, slot, steps, input, middle);
    }
    v[slot < 4 ? slot : slot + 4] = pair.at;
    mirrored_values[slot] = pair.mirrored;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    Complex<Value> const first = mirrored_values[r];
    Complex<Value> const second = mirrored_values[4 + r];
    Complex<Value> const own = r < 3 ? mirrored_values[(r + 1) & 3] : middle;
    v[8 + 7 - r] = selected(t != 0, first, second);
    v[7 - r] = selected(t != 0, second, own);
  }
}

/// Returns the outputs of the Fourier transform that belong to a slot.
template <class Value>
__device__ __forceinline__ SpectralPair<Value> outputs_of(int t, int slot,
                                                          Complex<Value> const* v) {
  int const r = slot % 4;
  if (slot >= 4) return {v[8 + r], selected(t != 0, v[7 - r], v[8 + 7 - r])};
  return {v[r], selected(t != 0, v[8 + 7 - r], v[r != 0 ? 8 - r : 4])};
}

/// Passes the results of a slot of a sine or cosine transform to put(node, value).
template <int N, LineForm form, class Real, class Value, class OddSum, class Put>
__device__ __forceinline__ void leave_neighbours(int t, int slot, LineSteps<Real> const& steps,
                                                 SpectralPair<Value> g, OddSum const& odd_sum,
                                                 LongWaves<Value> const& waves, Put const& put) {
  Real const scale = steps.scale;
  bool const is_first = slot == 0 && t == 0;
  int node = slot_index<N>(t, slot);
  if (form == LineForm::sine && is_first) {  // node 0 has no value
    node = N / 2;
    g.at = g.mirrored;
  }
  Real const wave = steps.first_mode != nullptr ? 4 * scale * steps.first_mode[node] : Real{0};
  if constexpr (form == LineForm::sine) {
    Complex<Value> const odd = scaled(g.at + g.mirrored, scale * steps.inverse_sines[node]);
    Complex<Value> const even = scaled(g.at - g.mirrored, scale);
    put(node, multiply_add(waves.first, wave, odd + even));
    if (!is_first) put(N - node, multiply_add(waves.first, wave, odd - even));
  } else {
    Complex<Value> const constant = scaled(waves.constant, 2 * scale);
    Complex<Value> odd = scaled(g.mirrored - g.at, scale * steps.inverse_sines[node]);
    Complex<Value> even = multiply_add(g.at + g.mirrored, scale, constant);
    if (is_first) {
      put(N / 2, multiply_add(g.mirrored, 2 * scale, constant));
      odd = scaled(odd_sum(), 4 * scale);
      even = multiply_add(g.at, 2 * scale, constant);
    }
    put(node, multiply_add(waves.first, wave, even + odd));
    put(N - node, multiply_add(waves.first, -wave, even - odd));
  }
}

/// Passes the results of a slot of the other forms to put(node, value).
template <int N, LineForm form, class Real, class Value, class Put>
__device__ __forceinline__ void leave_opposites(int t, int slot, LineSteps<Real> const& steps,
                                                SpectralPair<Value> g, Put const& put) {
  Real const scale = steps.scale;
  int const k = slot_index<N>(t, slot);
  int const opposite = opposite_index<N>(t, slot);
  if constexpr (form == LineForm::quarter_to_modes) {
    put(quarter_order(k, N), scaled(g.at, scale));
    put(quarter_order(opposite, N), scaled(g.mirrored, scale));
  } else if constexpr (form == LineForm::periodic_to_points) {
    put(k, scaled(g.at, scale));
    put(opposite, scaled(g.mirrored, scale));
  } else {
    constexpr bool is_quarter = form == LineForm::quarter_to_points;
    constexpr auto root_half = static_cast<Real>(0.707106781186547524400844362104849039);
    Complex<Value> cosines = scaled(g.at + g.mirrored, scale);
    Complex<Value> sines = scaled(times_i(g.at - g.mirrored), scale);
    if constexpr (is_quarter) {
      Complex<Real> const turn = steps.quarter_turns[k];
      Complex<Value> const value = multiply_add(cosines, turn.re, scaled(sines, -turn.im));
      sines = multiply_add(sines, turn.re, scaled(cosines, turn.im));
      cosines = value;
    }
    if (slot == 0 && t == 0) {
      cosines = scaled(g.at, 2 * scale);
      sines = scaled(g.mirrored, 2 * (is_quarter ? root_half : Real(1)) * scale);
    }
    put(k, cosines);
    put(opposite, sines);
  }
}

/// Passes the results of both butterflies of thread t to put(node, value).
/// @param odd_sum  returns the sum of all odd nodes; called by thread 0 for cosines
/// @param places  place of the long waves of the bundle in shared memory
template <int N, LineForm form, class Real, class Value, class OddSum, class Put>
__device__ __forceinline__ void leave_registers(int t, LineSteps<Real> const& steps,
                                                Complex<Value> const* v, OddSum const& odd_sum,
                                                Complex<Value> const* places, Put const& put) {
  LongWaves<Value> waves;
  if (uses_neighbours<form> && steps.first_mode != nullptr) {
    if constexpr (form == LineForm::cosine) waves.constant = places[0];
    waves.first = places[1];
  }
#pragma unroll
  for (int slot = 0; slot < slots; ++slot) {
    SpectralPair<Value> const g = outputs_of(t, slot, v);
    if constexpr (uses_neighbours<form>) {
      leave_neighbours<N, form>(t, slot, steps, g, odd_sum, waves, put);
    } else {
      leave_opposites<N, form>(t, slot, steps, g, put);
    }
  }
}

__device__ __forceinline__ double from_lane(double value, int offset) {
  return __shfl_xor_sync(~0U, value, offset);
}
__device__ __forceinline__ FloatPair from_lane(FloatPair value, int offset) {
  return {__shfl_xor_sync(~0U, value.a, offset), __shfl_xor_sync(~0U, value.b, offset)};
}

/// The sums of odd nodes of the threads of a bundle, in shared memory.
/// @tparam threads  number of threads of the bundle
/// @tparam stride  from one thread of the bundle to the next in the block
template <int threads, int stride, class Value>
class OddSums {
 public:
  /// @param places  a place for each thread, `stride` apart
  __device__ __forceinline__ OddSums(int t, Complex<Value>* places) : t_(t), places_(places) {}

  /// Adds the sum of this thread. All threads of the block call this.
  __device__ __forceinline__ void set(Complex<Value> sum) const {
#pragma unroll
    for (int offset = stride; offset < stride * group; offset *= 2) {
      sum = sum + Complex<Value>{from_lane(sum.re, offset), from_lane(sum.im, offset)};
    }
    if (t_ % group == 0) places_[t_ / group * stride] = sum;
  }
  /// Returns the total. A barrier must lie between set() and this.
  [[nodiscard]] __device__ __forceinline__ Complex<Value> total() const {
    Complex<Value> sum = places_[0];
#pragma unroll
    for (int part = 1; part < threads / group; ++part) sum = sum + places_[part * stride];
    return sum;
  }

 private:
  /// Number of threads of the bundle that are in the same warp, if every warp has as many.
  static constexpr int in_warp = threads * stride < 32 ? threads : 32 / stride;
  static constexpr int group = threads % in_warp == 0 && (in_warp & (in_warp - 1)) == 0 &&
                                       32 % stride == 0 &&
                                       (stride > 1 || threads % 32 == 0 || 32 % threads == 0)
                                   ? in_warp
                                   : 1;

  int t_;
  Complex<Value>* places_;
};

}  // namespace isotherm::cuda
