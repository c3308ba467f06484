#pragma once

#include "kernels/transforms/fft/cuda/registers/forms.cuh"
#include "kernels/transforms/fft/cuda/registers/register_transform.hpp"

namespace isotherm::cuda {

/// True if the threads of a bundle are a warp or an even part of one.
template <int N>
constexpr bool is_within_warp = 32 % RegisterShape<N>::threads == 0;

/// Bundles of lines of a block if lines lie along x: 128 threads or a few more, if bundles are
/// short.
template <int N>
constexpr int row_bundles = is_within_warp<N>                     ? 128 / RegisterShape<N>::threads
                            : RegisterShape<N>::threads % 32 != 0 ? (N <= 320 ? 8 : 4)
                            : N <= 1024                           ? 2
                                                                  : 1;
/// Places of a bundle of rows in shared memory: values, a sum of each thread, and long waves. The
/// number is a multiple of 4, so that bundles of a warp use other banks.
template <int N>
constexpr int row_places = N + RegisterShape<N>::threads + 2 * wave_places;

/// Waits for the threads of a bundle of rows, or more.
template <int N>
__device__ __forceinline__ void wait_for_bundle(int bundle) {
  constexpr int threads = RegisterShape<N>::threads;
  if constexpr (is_within_warp<N>) {
    __syncwarp();
  } else if constexpr (threads % 32 == 0 && row_bundles<N> > 1) {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + bundle), "r"(threads) : "memory");
  } else {
    __syncthreads();
  }
}

template <int N>
constexpr int row_threads = row_bundles<N>* RegisterShape<N>::threads;
/// Blocks of a multiprocessor such that each thread has 168 registers, 128 if blocks are large.
template <int N>
constexpr int row_blocks = row_threads<N> < 256 ? 384 / row_threads<N> : 512 / row_threads<N>;

/// The rows of a bundle in memory.
template <class Real>
struct RowBundle {
  static constexpr int width = bundle_lines<Real>;

  int lines;            ///< rows that exist
  std::int64_t across;  ///< elements from one row to the next

  /// Returns the value at an address of the first row.
  [[nodiscard]] __device__ __forceinline__ BundleValue<Real> load(Real const* from) const {
    return bundle_of<Real>([&](int i) { return i < lines ? from[i * across] : Real{0}; });
  }
  template <int line = 0>
  __device__ __forceinline__ void store(Real* to, BundleValue<Real> value) const {
    if (line < lines) to[line * across] = of_line<line>(value);
    if constexpr (line + 1 < width) store<line + 1>(to, value);
  }
};

/// The values s_2k and s_(2k+1) of all slots in registers; an input of enter_registers().
template <int N, LineForm form, class Real>
class RowInput {
 public:
  static constexpr int width = bundle_lines<Real>;
  using Value = BundleValue<Real>;

  /// Loads the rows.
  /// @param from  node 0 of the first row; a pair of numbers there is aligned
  /// @pre If is_within_warp, all threads of the warp call this.
  __device__ __forceinline__ RowInput(int t, Real const* from, RowBundle<Real> const& bundle) {
#pragma unroll
    for (int slot = 0; slot < slots; ++slot) {
      Real const* const at = from + 2 * slot_index<N>(t, slot);
#pragma unroll
      for (int i = 0; i < width; ++i) {
        rows_[i][slot] = i < bundle.lines
                             ? *reinterpret_cast<Complex<Real> const*>(at + i * bundle.across)
                             : Complex<Real>{};
      }
    }
    if constexpr (is_within_warp<N>) {
      find_before(t);
      if (form == LineForm::cosine && t == 0) before_[0] = bundle.load(from + N);
    } else {
      auto const node = [&](int k) { return bundle.load(from + k); };
      NodeInput<N, form, decltype(node)> const input(t, node);
#pragma unroll
      for (int slot = 0; slot < slots; ++slot) before_[slot] = input.before(slot);
    }
  }

  [[nodiscard]] __device__ __forceinline__ Value even(int slot) const {
    return bundle_of<Real>([&](int i) { return rows_[i][slot].re; });
  }
  [[nodiscard]] __device__ __forceinline__ Value odd(int slot) const {
    return bundle_of<Real>([&](int i) { return rows_[i][slot].im; });
  }
  [[nodiscard]] __device__ __forceinline__ Value before(int slot) const { return before_[slot]; }

 private:
  /// Finds s_(2k−1) in the registers of neighbouring threads.
  __device__ __forceinline__ void find_before(int t) {
    constexpr int threads = RegisterShape<N>::threads;
    auto const from_thread = [&](int thread, int slot) {
      return bundle_of<Real>(
          [&](int i) { return __shfl_sync(~0U, rows_[i][slot].im, thread, threads); });
    };
    Value lower[4];
    Value upper[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      lower[r] = from_thread((t + threads - 1) % threads, r);
      upper[r] = from_thread((t + 1) % threads, 4 + r);
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      before_[r] = selected(t != 0, lower[r], upper[(r + 3) & 3]);
      before_[4 + r] = selected(t != 0, upper[r], lower[r]);
    }
  }

  Complex<Real> rows_[width][slots];
  Value before_[slots];
};

/// Loads the rows of a bundle and computes the input of the Fourier transform.
template <int N, LineForm form, class Real, class Value>
__device__ __forceinline__ void enter_rows(int t, RegisterTask<Real> const& task, Real const* from,
                                           RowBundle<Real> const& bundle, Complex<Value>* v,
                                           Complex<Value>& odd_sum, Complex<Value>* waves) {
  if constexpr (uses_neighbours<form>) {
    RowInput<N, form, Real> const input(t, from, bundle);
    enter_registers<N, form>(t, task.steps, input, v, odd_sum, waves);
  } else {
    auto const node = [&](int k) { return bundle.load(from + k * task.from.along); };
    NodeInput<N, form, decltype(node)> const input(t, node);
    enter_registers<N, form>(t, task.steps, input, v, odd_sum, waves);
  }
}

/// Transforms rows along x; each bundle of rows has threads of its own.
template <int N, class Real, LineForm... forms>
__global__ void __launch_bounds__(row_threads<N>, row_blocks<N>)
    register_rows(__grid_constant__ RegisterTask<Real> const task) {
  constexpr int threads = RegisterShape<N>::threads;
  using Value = BundleValue<Real>;
  extern __shared__ __align__(16) unsigned char memory[];
  int const t = static_cast<int>(threadIdx.x) % threads;
  int const c = static_cast<int>(threadIdx.x) / threads;
  Value* const places = reinterpret_cast<Value*>(memory) + c * row_places<N>;
  auto const at = [&](int place) -> Value& { return places[place]; };
  auto const sync = [&] { wait_for_bundle<N>(c); };
  OddSums<threads, 1, decltype(Value::re)> const odd_sums(t, places + N);
  Value* const waves = places + N + threads;
  // All threads of a block work; surplus ones repeat the last bundle and store nothing.
  int const wanted = static_cast<int>(blockIdx.x) * row_bundles<N> + c;
  int const number = min(wanted, task.tiles * task.planes - 1);
  int const row = number % task.tiles * bundle_lines<Real>;
  std::int64_t const plane = number / task.tiles;
  RowBundle<Real> const source{task.lines - row, task.from.across};
  RowBundle<Real> const result{wanted == number ? task.lines - row : 0, task.to.across};

  Value v[RegisterShape<N>::values];
  Value odd_sum{};
  Real const* const from = task.from.first + row * task.from.across + plane * task.from.third;
  with_form<forms...>(task.steps.form, [&](auto form) {
    enter_rows<N, form()>(t, task, from, source, v, odd_sum, waves);
    if constexpr (form() == LineForm::cosine) odd_sums.set(odd_sum);
  });
  transform_registers<N>(t, at, v, task.roots, sync);
  Real* const to = task.to.first + row * task.to.across + plane * task.to.third;
  with_form<forms...>(task.steps.form, [&](auto form) {
    leave_registers<N, form()>(
        t, task.steps, v, [&] { return odd_sums.total(); }, waves,
        [&](int node, Value value) { result.store(to + node * task.to.along, value); });
  });
}

}  // namespace isotherm::cuda
