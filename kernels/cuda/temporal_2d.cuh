#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/variant.hpp"

namespace isotherm::cuda::temporal_2d {

template <int Warps, int Levels, int Points, int Rows, int Blocks>
struct Shape {
  static constexpr int warps = Warps;
  static constexpr int levels = Levels;  ///< of a warp
  static constexpr int points = Points;  ///< of a lane
  static constexpr int rows = Rows;      ///< of a batch
  static constexpr int blocks = Blocks;  ///< of a multiprocessor
  static constexpr int steps = Warps * Levels;
  static constexpr int threads = 32 * Warps;
  static constexpr int width = 32 * Points;
};

/// A 16-byte vector, the unit of all traffic.
template <class Real>
struct alignas(16) Chunk {
  static constexpr int size = 16 / sizeof(Real);
  Real v[size];
};

struct Range {
  int lower, upper;
  __host__ __device__ bool contains(int i) const { return lower <= i && i < upper; }
  __host__ __device__ int clamp(int i) const {
    return i < lower ? lower : i >= upper ? upper - 1 : i;
  }
};

/// One row of values, as the kernel wants a field.
template <class T>
struct Rows {
  T* origin;
  std::int64_t stride;
  __device__ T* row(int y) const { return origin + y * stride; }
};

template <class Real>
struct Work {
  Rows<Real const> in;
  Rows<Real> out;
  Rows<Real const> source;
  Range in_y, in_chunk_x;  ///< rows that exist; x of the first chunk, and one past the last's
  Range source_y, source_chunk_x;
  Range region_x, region_y;
  Range free_x, free_y;
  Change* change;
  int first_x, chunk_rows;
};

/// How a row of a strip lies in shared memory: both the lanes that own consecutive points and the
/// copies, where lane l moves chunks l, l + 32, …, meet every bank once.
template <class Real, class S>
struct RowLayout {
  static constexpr int per_lane = S::points / Chunk<Real>::size;
  static constexpr bool odd = per_lane % 2 == 1;
  static_assert(odd || 8 % per_lane == 0);
  static constexpr int chunks = 32 * per_lane + (odd ? 0 : 8);
  static constexpr int own_stride = odd ? 1 : 32 + 8 / per_lane;
  static constexpr int copy_stride = odd ? 32 : 32 / per_lane;

  static __device__ int own_first(int lane) { return odd ? lane * per_lane : lane; }
  static __device__ int copy_first(int lane) {
    return odd ? lane : lane % per_lane * own_stride + lane / per_lane;
  }
};

template <class Real, class S>
struct Tile {
  using Layout = RowLayout<Real, S>;
  static constexpr int unit = Chunk<Real>::size;
  static constexpr int margin = (S::steps + unit - 1) / unit * unit;
  static constexpr int useful = (S::width - 2 * margin) / (2 * unit) * (2 * unit);
  static constexpr int batch = S::rows * Layout::chunks;  ///< chunks
  static constexpr int rings = S::warps + 1;
  static constexpr std::size_t ring_bytes = std::size_t{2} * batch * sizeof(Chunk<Real>);
  static constexpr std::size_t bytes = rings * ring_bytes;
  static constexpr std::size_t bytes_for_change = ring_bytes + S::threads * sizeof(Change);
};

/// Shared memory by 32-bit address: with pointers the compiler would rebuild the window's base at
/// each access.
template <class Real>
__device__ __forceinline__ Chunk<Real> read_shared(unsigned address) {
  uint4 bits;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "r"(address));
  return reinterpret_cast<Chunk<Real> const&>(bits);
}

template <class Real>
__device__ __forceinline__ void write_shared(unsigned address, Chunk<Real> const& values) {
  uint4 const& bits = reinterpret_cast<uint4 const&>(values);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(bits.x), "r"(bits.y),
               "r"(bits.z), "r"(bits.w));
}

template <class Real, int points>
__device__ __forceinline__ void read_row(Real (&row)[points], unsigned from, unsigned stride) {
  constexpr int unit = Chunk<Real>::size;
#pragma unroll
  for (int q = 0; q < points / unit; ++q) {
    Chunk<Real> const chunk = read_shared<Real>(from + q * stride);
#pragma unroll
    for (int v = 0; v < unit; ++v) row[q * unit + v] = chunk.v[v];
  }
}

template <class Real, int points>
__device__ __forceinline__ void write_row(unsigned to, unsigned stride, Real const (&row)[points]) {
  constexpr int unit = Chunk<Real>::size;
#pragma unroll
  for (int q = 0; q < points / unit; ++q) {
    Chunk<Real> chunk;
#pragma unroll
    for (int v = 0; v < unit; ++v) chunk.v[v] = row[q * unit + v];
    write_shared(to + q * stride, chunk);
  }
}

/// Starts copying 16 bytes from global to shared memory; see finish_copies.
__device__ __forceinline__ void start_copy(unsigned to, void const* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
#else
  uint4 const bits = *static_cast<uint4 const*>(from);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(bits.x), "r"(bits.y),
               "r"(bits.z), "r"(bits.w));
#endif
}

__device__ __forceinline__ void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The levels that a warp owns, in registers: a lane's points of the last two rows of each.
template <class Rule, class S>
struct Levels {
  using Real = typename Rule::Real;
  using Layout = RowLayout<Real, S>;
  static constexpr int unit = Chunk<Real>::size;
  static constexpr int points = S::points;
  static constexpr int levels = S::levels;
  static constexpr unsigned row_bytes = Layout::chunks * sizeof(Chunk<Real>);
  static constexpr unsigned stride = Layout::own_stride * sizeof(Chunk<Real>);

  Real older[levels][points];
  Real newer[levels][points];
  Real left[levels];   ///< the neighbours of newer's ends, in the lanes beside this one
  Real right[levels];
  Real next[points];  ///< the next incoming row, read early

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int s = 0; s < levels; ++s) {
      left[s] = right[s] = Real(0);
#pragma unroll
      for (int v = 0; v < points; ++v) older[s][v] = newer[s][v] = Real(0);
    }
  }

  __device__ __forceinline__ void read_first(unsigned from) { read_row(next, from, stride); }

  /// Takes the S::rows rows at `from`, of which the first is row y, up to level `levels` and writes
  /// what comes out, rows y - levels and on, at `to`; and, where `keep` is not zero, there the same
  /// rows of one level less.
  template <bool general, bool has_source, bool has_change>
  __device__ __forceinline__ void advance_batch(Rule const& rule, Work<Real> const& work, int x,
                                                int y, unsigned free_points, unsigned from,
                                                unsigned to, unsigned keep) {
#pragma unroll
    for (int j = 0; j < S::rows; ++j) {
      Real incoming[points];
#pragma unroll
      for (int v = 0; v < points; ++v) incoming[v] = next[v];
      if (j + 1 < S::rows) read_row(next, from + (j + 1) * row_bytes, stride);
#pragma unroll
      for (int s = 0; s < levels; ++s) {
        Real result[points];
#pragma unroll
        for (int e = 0; e < points; ++e) {
          int const v = j % 4 < 2 ? e : points - 1 - e;
          result[v] = rule([&](int di, int dj, int) {
            if (dj < 0) return older[s][v];
            if (dj > 0) return incoming[v];
            if (di < 0) return v == 0 ? left[s] : newer[s][v == 0 ? 0 : v - 1];
            if (di > 0) return v == points - 1 ? right[s] : newer[s][v == points - 1 ? v : v + 1];
            return newer[s][v];
          });
        }
        if constexpr (has_source) add_source(result, work, x, y + j - s - 1);
        if constexpr (general) {
          unsigned const mask = work.free_y.contains(y + j - s - 1) ? free_points : 0;
#pragma unroll
          for (int v = 0; v < points; ++v) result[v] = mask >> v & 1 ? result[v] : newer[s][v];
        }
        if (has_change && s == levels - 1 && keep != 0) {
          write_row(keep + j * row_bytes, stride, newer[s]);
        }
        left[s] = __shfl_up_sync(~0u, incoming[points - 1], 1);
        right[s] = __shfl_down_sync(~0u, incoming[0], 1);
#pragma unroll
        for (int v = 0; v < points; ++v) {
          older[s][v] = newer[s][v];
          newer[s][v] = incoming[v];
          incoming[v] = result[v];
        }
      }
      write_row(to + j * row_bytes, stride, incoming);
    }
  }

  __device__ __forceinline__ void add_source(Real (&result)[points], Work<Real> const& work, int x,
                                             int y) {
    Real const* const row = work.source.row(work.source_y.clamp(y));
#pragma unroll
    for (int q = 0; q < points / unit; ++q) {
      int const chunk_x =
          min(max(x + q * unit, work.source_chunk_x.lower), work.source_chunk_x.upper - unit);
      auto const share = *reinterpret_cast<Chunk<Real> const*>(row + chunk_x);
#pragma unroll
      for (int v = 0; v < unit; ++v) result[q * unit + v] += share.v[v];
    }
  }
};

template <class Rule, class S, bool has_source, bool has_change>
__global__ void __launch_bounds__(S::threads, S::blocks)
    advance(Rule const rule, Work<typename Rule::Real> const work) {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Layout = typename T::Layout;
  using Vector = Chunk<Real>;
  constexpr int unit = Vector::size;
  constexpr int per_lane = Layout::per_lane;
  constexpr int points = S::points;
  constexpr int levels = S::levels;
  constexpr unsigned row_bytes = Layout::chunks * sizeof(Vector);
  constexpr unsigned batch_bytes = S::rows * row_bytes;
  constexpr unsigned copy_stride = Layout::copy_stride * sizeof(Vector);

  extern __shared__ int4 shared[];
  int const lane = threadIdx.x % 32;
  // read from a lane, so that the compiler knows it to be the same for all of them
  int const warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  unsigned const rings = static_cast<unsigned>(__cvta_generic_to_shared(shared));

  int const x0 = work.first_x + static_cast<int>(blockIdx.x) * T::useful - T::margin;
  int const y0 = work.region_y.lower + static_cast<int>(blockIdx.y) * work.chunk_rows;
  int const y1 = min(y0 + work.chunk_rows, work.region_y.upper);
  int const x = x0 + lane * points;
  int const batches = (y1 - y0 + 2 * S::steps + S::rows - 1) / S::rows;

  // Points that no written point depends on count as free.
  Range const near_x{max(x0, work.region_x.lower - S::steps),
                     min(x0 + S::width, work.region_x.upper + S::steps)};
  bool const x_is_free = work.free_x.lower <= near_x.lower && near_x.upper <= work.free_x.upper;
  Range const fast_y{work.free_y.lower <= y0 - S::steps ? INT_MIN : work.free_y.lower,
                     work.free_y.upper >= y1 + S::steps ? INT_MAX : work.free_y.upper};
  unsigned free_points = 0;
#pragma unroll
  for (int v = 0; v < points; ++v) free_points |= unsigned{work.free_x.contains(x + v)} << v;

  bool const loads_exist = work.in_chunk_x.lower <= x0 && x0 + S::width <= work.in_chunk_x.upper;
  int const copy_x = x0 + lane * unit;
  unsigned const copy_at = rings + Layout::copy_first(lane) * sizeof(Vector);

  auto load_batch = [&](int number) {
#pragma unroll
    for (int row = 0; row < S::rows; row += S::warps) {
      int const j = row + warp;
      if (S::rows % S::warps != 0 && j >= S::rows) break;
      Real const* const from = work.in.row(work.in_y.clamp(y0 - S::steps + number * S::rows + j));
      unsigned const to = copy_at + (number & 1) * batch_bytes + j * row_bytes;
      if (loads_exist) {
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
          start_copy(to + i * copy_stride, from + copy_x + i * 32 * unit);
        }
      } else {
#pragma unroll 1
        for (int i = 0; i < per_lane; ++i) {
          int const chunk_x =
              min(max(copy_x + i * 32 * unit, work.in_chunk_x.lower), work.in_chunk_x.upper - unit);
          start_copy(to + i * copy_stride, from + chunk_x);
        }
      }
    }
  };

  constexpr unsigned before_offset = 2 * batch_bytes;  // from a row of the last ring
  Change* const changes =
      reinterpret_cast<Change*>(reinterpret_cast<char*>(shared) + T::bytes + T::ring_bytes);
  if constexpr (has_change) changes[threadIdx.x] = Change{};

  auto add_change = [&](unsigned at, int chunk_x, Real& largest, double& sum) {
    Vector const after = read_shared<Real>(at);
    Vector const before = read_shared<Real>(at + before_offset);
#pragma unroll
    for (int v = 0; v < unit; ++v) {
      Real const size = abs(after.v[v] - before.v[v]);
      bool const counts = work.region_x.contains(chunk_x + v) && work.free_x.contains(chunk_x + v);
      if (counts && !(size <= largest)) largest = size;
      if (counts) sum = fma(double(size), double(size), sum);
    }
  };

  Range const own_x{max(x0 + T::margin, work.region_x.lower),
                    min(x0 + T::margin + T::useful, work.region_x.upper)};
  bool const whole_chunks = own_x.lower % unit == 0 && own_x.upper % unit == 0;
  unsigned const own_width = max(0, own_x.upper - own_x.lower);
  auto store_batch = [&](int number) {
#pragma unroll
    for (int row = 0; row < S::rows; row += S::warps) {
      int const j = row + warp;
      if (S::rows % S::warps != 0 && j >= S::rows) break;
      int const y = y0 - 2 * S::steps + number * S::rows + j;
      if (y < y0 || y >= y1) continue;
      unsigned const from = copy_at + S::warps * 2 * batch_bytes +
                            (number + S::warps - 1 & 1) * batch_bytes + j * row_bytes;
      Real* const to = work.out.row(y) + copy_x;
      Vector values[per_lane];
#pragma unroll
      for (int i = 0; i < per_lane; ++i) values[i] = read_shared<Real>(from + i * copy_stride);
      if (whole_chunks) {
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
          if (static_cast<unsigned>(copy_x + i * 32 * unit - own_x.lower) < own_width) {
            *reinterpret_cast<Vector*>(to + i * 32 * unit) = values[i];
          }
        }
      } else {
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
#pragma unroll
          for (int v = 0; v < unit; ++v) {
            if (own_x.contains(copy_x + i * 32 * unit + v)) to[i * 32 * unit + v] = values[i].v[v];
          }
        }
      }
      if constexpr (has_change) {
        if (!work.free_y.contains(y)) continue;
        Change const sofar = changes[threadIdx.x];
        Real largest = static_cast<Real>(sofar.largest);
        double sum = sofar.sum_of_squares;
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
          int const chunk_x = copy_x + i * 32 * unit;
          if (chunk_x + unit > own_x.lower && chunk_x < own_x.upper) {
            add_change(from + i * copy_stride, chunk_x, largest, sum);
          }
        }
        changes[threadIdx.x] = Change{largest, sum};
      }
    }
  };

  Levels<Rule, S> state;
  state.clear();

  load_batch(0);
  finish_copies();
  __syncthreads();
  int y = y0 - S::steps - warp * (S::rows + levels);
  unsigned const own_at = rings + warp * 2 * batch_bytes + Layout::own_first(lane) * sizeof(Vector);
#pragma unroll 1
  for (int n = 0; n < batches + S::warps; ++n) {
    unsigned const from = own_at + (n + (warp > 0 ? 1 : 0) & 1) * batch_bytes;
    unsigned const to = own_at + (2 + (n & 1)) * batch_bytes;
    state.read_first(from);
    if (n + 1 < batches) load_batch(n + 1);
    if (n >= S::warps) store_batch(n - S::warps);
    unsigned const keep = has_change && warp == S::warps - 1 ? to + before_offset : 0;
    if (!has_source && x_is_free && y - levels >= fast_y.lower && y + S::rows <= fast_y.upper + 1) {
      state.template advance_batch<false, false, has_change>(rule, work, x, y, free_points, from,
                                                             to, keep);
    } else {
      state.template advance_batch<true, has_source, has_change>(rule, work, x, y, free_points,
                                                                 from, to, keep);
    }
    y += S::rows;
    finish_copies();
    __syncthreads();
  }

  if constexpr (has_change) {
    Change mine = changes[threadIdx.x];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      double const other = __shfl_xor_sync(~0u, mine.largest, distance);
      if (!(other <= mine.largest)) mine.largest = other;
      mine.sum_of_squares += __shfl_xor_sync(~0u, mine.sum_of_squares, distance);
    }
    __syncthreads();
    if (lane == 0) changes[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < S::warps; ++w) {
        if (!(changes[w].largest <= mine.largest)) mine.largest = changes[w].largest;
        mine.sum_of_squares += changes[w].sum_of_squares;
      }
      atomicMax(reinterpret_cast<unsigned long long*>(&work.change->largest),
                static_cast<unsigned long long>(__double_as_longlong(mine.largest)));
      atomicAdd(&work.change->sum_of_squares, mine.sum_of_squares);
    }
  }
}

inline Range range_of(LocalBox const& box, int axis) {
  return {static_cast<int>(box.lower[axis]), static_cast<int>(box.upper[axis])};
}

/// First element of the first chunk that touches a point of `x`, and one past the last's.
template <class Real>
Range chunks_of(Range x) {
  constexpr int unit = Chunk<Real>::size;
  return {x.lower & -unit, (x.upper + unit - 1) & -unit};
}

template <class T>
Rows<T> rows_of(FieldView<T> const& field, std::int64_t z) {
  return {field.origin + z * field.stride_z, field.stride_y};
}

template <class Real>
Work<Real> work_of(Pass<Real> const& pass) {
  std::int64_t const z = pass.region.lower.z;
  Work<Real> work{};
  work.in = rows_of(pass.in, z);
  work.out = rows_of(pass.out, z);
  work.in_y = range_of(pass.in.box, 1);
  work.in_chunk_x = chunks_of<Real>(range_of(pass.in.box, 0));
  if (pass.source) {
    work.source = rows_of(pass.source, z);
    work.source_y = range_of(pass.source.box, 1);
    work.source_chunk_x = chunks_of<Real>(range_of(pass.source.box, 0));
  }
  work.region_x = range_of(pass.region, 0);
  work.region_y = range_of(pass.region, 1);
  bool const frozen = pass.free.empty() || !range_of(pass.free, 2).contains(static_cast<int>(z));
  work.free_x = frozen ? Range{0, 0} : range_of(pass.free, 0);
  work.free_y = frozen ? Range{0, 0} : range_of(pass.free, 1);
  work.change = pass.change;
  constexpr int sector = 32 / sizeof(Real);
  work.first_x = work.region_x.lower & -sector;
  return work;
}

/// Rows of a tile such that `strips` columns of tiles keep `slots` resident blocks busy: a block
/// spends `overhead` rows on filling and draining its pipeline, and blocks run in waves.
inline int choose_chunk_rows(std::int64_t strips, std::int64_t rows, std::int64_t slots,
                             std::int64_t overhead) {
  constexpr int most_waves = 6;
  constexpr std::int64_t most_chunks = 65535;
  std::int64_t best_rows = (rows + most_chunks - 1) / most_chunks;
  std::int64_t best_cost = std::numeric_limits<std::int64_t>::max();
  for (int waves = 1; waves <= most_waves; ++waves) {
    std::int64_t const chunks =
        std::clamp(slots * waves / strips, std::int64_t{1}, std::min(rows, most_chunks));
    std::int64_t const chunk_rows = (rows + chunks - 1) / chunks;
    std::int64_t const real_waves = (strips * chunks + slots - 1) / slots;
    std::int64_t const cost = real_waves * (chunk_rows + overhead);
    if (cost < best_cost) {
      best_cost = cost;
      best_rows = chunk_rows;
    }
  }
  return static_cast<int>(best_rows);
}

/// Blocks of `kernel` that the current device runs at a time; allows the kernel its shared memory.
template <class Kernel>
int prepare(Kernel kernel, int threads, std::size_t shared_bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)));
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return std::max(1, blocks) * multiprocessors;
}

template <class Rule, class S, bool has_source, bool has_change>
void launch_as(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using T = Tile<typename Rule::Real, S>;
  auto* const kernel = advance<Rule, S, has_source, has_change>;
  constexpr std::size_t shared_bytes = T::bytes + (has_change ? T::bytes_for_change : 0);
  int const slots = prepare(kernel, S::threads, shared_bytes);

  auto work = work_of(pass);
  std::int64_t const width = work.region_x.upper - work.first_x;
  std::int64_t const strips = (width + T::useful - 1) / T::useful;
  std::int64_t const rows = work.region_y.upper - work.region_y.lower;
  work.chunk_rows = choose_chunk_rows(strips, rows, slots, 2 * S::steps + S::warps * S::rows);
  dim3 const grid(static_cast<unsigned>(strips),
                  static_cast<unsigned>((rows + work.chunk_rows - 1) / work.chunk_rows));
  kernel<<<grid, S::threads, shared_bytes, stream>>>(rule, work);
  check(cudaGetLastError());
}

template <class Rule, class S>
void launch(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  if (pass.region.empty()) return;
  bool const has_source{pass.source};
  bool const has_change = pass.change != nullptr;
  auto* const chosen =
      has_source   ? has_change ? launch_as<Rule, S, true, true> : launch_as<Rule, S, true, false>
        : has_change ? launch_as<Rule, S, false, true>
                   : launch_as<Rule, S, false, false>;
  chosen(stream, rule, pass);
}

}  // namespace isotherm::cuda::temporal_2d
