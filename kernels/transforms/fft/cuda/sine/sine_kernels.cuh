#pragma once

#include <cstddef>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/transforms/fft/cuda/sine/registers.cuh"
#include "kernels/transforms/fft/cuda/sine/sine_transform.hpp"

namespace isotherm::cuda {

/// Returns 1/d by two Newton steps, rounded almost correctly, without the branches of a division.
/// @pre d is a normal number whose inverse is one, too
__device__ __forceinline__ double fast_inverse(double d) {
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(d));
  double error = fma(-d, estimate, 1.0);
  error = fma(error, error, error);
  return fma(estimate, error, estimate);
}

/// Waits for the threads of a pair of lines: a warp or a part of one, or two warps.
template <int threads>
__device__ __forceinline__ void wait_for_pair(int pair) {
  if constexpr (threads <= 32) {
    __syncwarp();
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + pair), "r"(threads) : "memory");
  }
}

/// Number of threads of a multiprocessor that have 128 registers each.
constexpr int resident_threads = 512;

/// Pairs of lines of a block if lines lie along x.
template <int N>
constexpr int row_pairs = N >= 512 ? 4 : 2048 / N;
/// Pairs of lines of a block if lines lie along y or z: rows of at least 128 bytes.
template <int N>
constexpr int column_pairs = N >= 256 ? 8 : 16;

/// The rows of a pair in registers: s_2k and s_(2k+1) of both lines for the k of both butterflies.
template <int N>
struct RowPairs {
  SinePair first[8];   ///< of the first line
  SinePair second[8];  ///< of the second line

  /// Loads both rows from their nodes 0, which are aligned to 16 bytes.
  __device__ __forceinline__ void load(int t, double const* row, double const* other,
                                       bool has_other) {
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      int const b = n < 4 ? t : SineShape<N>::second(t);
      int const node = 2 * (b + SineShape<N>::butterflies * (n % 4));
      first[n] = *reinterpret_cast<SinePair const*>(row + node);
      second[n] = has_other ? *reinterpret_cast<SinePair const*>(other + node) : SinePair{};
    }
  }

  /// Returns s_2k and s_(2k+1) of both lines.
  [[nodiscard]] __device__ __forceinline__ SinePair even(int n) const {
    return {first[n].re, second[n].re};
  }
  [[nodiscard]] __device__ __forceinline__ SinePair odd(int n) const {
    return {first[n].im, second[n].im};
  }
};

/// Finds s_(2k−1) in the registers of neighbouring threads, for the k of both butterflies; see
/// enter_registers().
/// @pre The threads of a pair belong to one warp, all threads of which call this.
template <int N>
__device__ __forceinline__ void find_before(int t, RowPairs<N> const& rows, SinePair* before) {
  constexpr int threads = SineShape<N>::threads;
  constexpr unsigned all = ~0U;
  SinePair lower[4];
  SinePair upper[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    int const previous = (t + threads - 1) % threads;
    int const next = (t + 1) % threads;
    lower[r] = {__shfl_sync(all, rows.first[r].im, previous, threads),
                __shfl_sync(all, rows.second[r].im, previous, threads)};
    upper[r] = {__shfl_sync(all, rows.first[4 + r].im, next, threads),
                __shfl_sync(all, rows.second[4 + r].im, next, threads)};
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    before[r] = selected(t != 0, lower[r], upper[(r + 3) & 3]);
    before[4 + r] = selected(t != 0, upper[r], lower[r]);
  }
}

/// Loads s_(2k−1), for pairs of more threads than a warp has.
template <int N>
__device__ __forceinline__ void load_before(int t, double const* row, double const* other,
                                            bool has_other, SinePair* before) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    int const b = n < 4 ? t : SineShape<N>::second(t);
    int const node = 2 * (b + SineShape<N>::butterflies * (n % 4)) - 1;
    int const at = node < 0 ? N - 1 : node;
    before[n] = {row[at], has_other ? other[at] : 0.0};
  }
}

/// Transforms rows along x; each pair of rows has threads of its own.
template <int N>
__global__ void __launch_bounds__(row_pairs<N>* N / 16, resident_threads / (row_pairs<N> * N / 16))
    sine_rows(__grid_constant__ SineTask const task) {
  constexpr int threads = SineShape<N>::threads;
  extern __shared__ __align__(16) unsigned char memory[];
  int const t = static_cast<int>(threadIdx.x) % threads;
  int const c = static_cast<int>(threadIdx.x) / threads;
  SinePair* const places = reinterpret_cast<SinePair*>(memory) + c * N;
  auto const at = [&](int place) -> SinePair& { return places[place]; };
  auto const sync = [&] { wait_for_pair<threads>(c); };
  // All threads of a warp work; surplus ones repeat the last pair and store nothing.
  int const wanted = static_cast<int>(blockIdx.x) * row_pairs<N> + c;
  int const number = min(wanted, task.tiles * task.planes - 1);
  int const row = number % task.tiles * 2;
  std::int64_t const plane = number / task.tiles;
  bool const has_row = wanted == number;
  bool const has_other = row + 1 < task.lines;

  double const* const from = task.from.first + row * task.from.across + plane * task.from.third - 1;
  double const* const other = from + task.from.across;
  RowPairs<N> rows;
  rows.load(t, from, other, has_other);
  SinePair before[8];
  if constexpr (threads <= 32) {
    find_before<N>(t, rows, before);
  } else {
    load_before<N>(t, from, other, has_other, before);
  }
  SinePair v[16];
  enter_registers<N>(
      t, [&](int b, int r) { return rows.even(4 * b + r); },
      [&](int b, int r) { return rows.odd(4 * b + r); },
      [&](int b, int r) { return before[4 * b + r]; }, v);
  transform_registers<N>(t, at, v, task.roots, sync);
  if (!has_row) return;
  double* const to = task.to.first + row * task.to.across + plane * task.to.third - 1;
  double* const other_to = to + task.to.across;
  auto const store = [&](int node, SinePair value) {
    to[node] = value.re;
    if (has_other) other_to[node] = value.im;
  };
  leave_registers<N>(t, task.inverse_sines, task.scale, v,
                     [&](int node, SinePair value, int mirrored_node, SinePair mirrored_value) {
                       store(node, value);
                       if (mirrored_node != 0) store(mirrored_node, mirrored_value);
                     });
}

/// The columns of a thread: two adjacent lines, whose values one instruction loads or stores.
struct ColumnPair {
  int line;        ///< number of the first one; −1 if it lies before the box
  bool has_first;  ///< which of the two belong to the box
  bool has_second;

  __device__ ColumnPair(int number, SineTask const& task)
      : line(2 * number - task.shift),
        has_first(line >= 0 && line < task.lines),
        has_second(line + 1 < task.lines) {}

  [[nodiscard]] __device__ __forceinline__ SinePair load(double const* from) const {
    SinePair value{};
    if (has_first || has_second) value = *reinterpret_cast<SinePair const*>(from);
    return {has_first ? value.re : 0.0, has_second ? value.im : 0.0};
  }
  __device__ __forceinline__ void store(double* to, SinePair value) const {
    if (has_first && has_second) {
      store_whole(to, Vector<double>{{value.re, value.im}});
    } else if (has_first) {
      to[0] = value.re;
    } else if (has_second) {
      to[1] = value.im;
    }
  }
};

/// Divides the modes of a pair of columns by their eigenvalues on the way to shared memory.
template <int N, class At>
__device__ __forceinline__ void divide_columns(SineTask const& task, int t, ColumnPair const& pair,
                                               int plane, SinePair const* v, At const& at) {
  Spectrum<double> const& spectrum = task.spectrum;
  double const* const along = task.axis == 1 ? spectrum.y : spectrum.z;
  double const across = (task.axis == 1 ? spectrum.z : spectrum.y)[plane] + spectrum.shift;
  double const first = spectrum.x[min(max(pair.line, 0), task.lines - 1)] + across;
  double const second = spectrum.x[min(pair.line + 1, task.lines - 1)] + across;
  auto const divided = [&](SinePair value, int node) -> SinePair {
    double const own = along[node - 1];
    return {value.re * fast_inverse(first + own), value.im * fast_inverse(second + own)};
  };
  leave_registers<N>(t, task.inverse_sines, task.scale, v,
                     [&](int node, SinePair value, int mirrored_node, SinePair mirrored_value) {
                       at(node) = divided(value, node);
                       at(mirrored_node) =
                           mirrored_node == 0 ? SinePair{} : divided(mirrored_value, mirrored_node);
                     });
}

/// Transforms columns along y or z. With `solve`, divides by the eigenvalues and transforms back.
template <int N, bool solve>
__global__ void __launch_bounds__(column_pairs<N>* N / 16,
                                  resident_threads / (column_pairs<N> * N / 16))
    sine_columns(__grid_constant__ SineTask const task) {
  constexpr int pairs = column_pairs<N>;
  extern __shared__ __align__(16) unsigned char memory[];
  SinePair* const places = reinterpret_cast<SinePair*>(memory);
  int const c = static_cast<int>(threadIdx.x) % pairs;
  int const t = static_cast<int>(threadIdx.x) / pairs;
  auto const at = [&](int place) -> SinePair& { return places[place * pairs + c]; };
  auto const sync = [] { __syncthreads(); };
  int const plane = static_cast<int>(blockIdx.x) / task.tiles;
  ColumnPair const pair(static_cast<int>(blockIdx.x) % task.tiles * pairs + c, task);

  SinePair v[16];
  double const* const from = task.from.first + pair.line + plane * task.from.third;
  enter_registers<N>(
      t, [&](int node) { return pair.load(from + max(node - 1, 0) * task.from.along); }, v);
  transform_registers<N>(t, at, v, task.roots, sync);
  if constexpr (solve) {
    sync();
    divide_columns<N>(task, t, pair, plane, v, at);
    sync();
    enter_registers<N>(t, at, v);
    transform_registers<N>(t, at, v, task.roots, sync);
  }
  double* const to = task.to.first + pair.line + plane * task.to.third;
  leave_registers<N>(t, task.inverse_sines, solve ? task.scale_back : task.scale, v,
                     [&](int node, SinePair value, int mirrored_node, SinePair mirrored_value) {
                       pair.store(to + (node - 1) * task.to.along, value);
                       if (mirrored_node == 0) return;
                       pair.store(to + (mirrored_node - 1) * task.to.along, mirrored_value);
                     });
}

/// Starts a kernel with the shared memory of `pairs` pairs of lines.
template <int N>
void start_sine_kernel(Queue& queue, void (*kernel)(SineTask), SineTask const& task,
                       std::int64_t blocks, int pairs) {
  auto const bytes = static_cast<std::size_t>(pairs) * N * sizeof(SinePair);
  auto const stream = make_current(queue);
  check(cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<static_cast<unsigned>(blocks), pairs * SineShape<N>::threads, bytes, stream>>>(task);
  check_launch();
}

template <int N>
void start_sine(Queue& queue, SineTask task, bool solve) {
  std::int64_t const pairs_of_lines = (task.lines + task.shift + 1) / 2;
  if (task.axis == 0) {
    task.tiles = static_cast<int>(pairs_of_lines);
    std::int64_t const blocks = tiles(pairs_of_lines * task.planes, row_pairs<N>);
    return start_sine_kernel<N>(queue, sine_rows<N>, task, blocks, row_pairs<N>);
  }
  task.tiles = static_cast<int>(tiles(pairs_of_lines, column_pairs<N>));
  std::int64_t const blocks = std::int64_t{task.tiles} * task.planes;
  start_sine_kernel<N>(queue, solve ? sine_columns<N, true> : sine_columns<N, false>, task, blocks,
                       column_pairs<N>);
}

}  // namespace isotherm::cuda
