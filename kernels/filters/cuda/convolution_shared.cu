#include <algorithm>
#include <cstdint>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/filters/cuda/convolution.cuh"
#include "kernels/filters/cuda/convolution.hpp"

// For many weights: values are staged in shared memory. A thread reads each of them once for
// several sums, which it holds in registers.
//
// All sums begin with −0, the neutral element, and add their values in the order of the weights.
//
//   along x        a block processes a part of a row, with the radius at both ends; a thread sums
//                  as many points as 16 bytes contain
//   along y and z  a block marches along a column 128 bytes wide, with the rows that are still
//                  needed in a ring; threads adjacent in x read adjacent values, and each thread
//                  sums eight rows

namespace isotherm::cuda {

namespace {

template <class Real>
constexpr int vector_width = Vector<Real>::width;

// ---- along x

/// Threads of a block along x.
constexpr int row_threads = 128;

/// Division of rows into parts, one per block.
struct RowParts {
  /// x of the first part, a multiple of a vector's width at or below the box
  std::int64_t first_x;
  std::int64_t parts;  ///< parts per row
  std::int64_t all;    ///< number of parts of all rows
  bool aligned;        ///< every vector is aligned to 16 bytes in `to`
};

/// Sums a vector of points. The thread's first value is number threadIdx.x · width of `values`.
template <class Real>
__device__ __forceinline__ Vector<Real> sum_vector(Weights<Real> const& weights,
                                                   Real const* values) {
  constexpr int width = vector_width<Real>;
  int const taps = 2 * weights.radius + 1;
  auto const vector_at = [&](int n) {
    return reinterpret_cast<Vector<Real> const*>(values)[threadIdx.x + n];
  };
  Vector<Real> sums;
#pragma unroll
  for (int s = 0; s < width; ++s) sums.v[s] = Real{-0.0};
  // `low` and `high` are a sliding window of two vectors, so each value is read once.
  Vector<Real> low = vector_at(0);
  int tap = 0;
  for (; tap + width <= taps; tap += width) {
    Vector<Real> const high = vector_at(tap / width + 1);
#pragma unroll
    for (int t = 0; t < width; ++t) {
      Real const weight = weights.values[tap + t];
#pragma unroll
      for (int s = 0; s < width; ++s) {
        // Constant indices after unrolling, so both vectors remain in registers.
        Real const value = s + t < width ? low.v[(s + t) % width] : high.v[(s + t) % width];
        sums.v[s] = multiply_add(weight, value, sums.v[s]);
      }
    }
    low = high;
  }
  Real const* const mine = values + static_cast<int>(threadIdx.x) * width;
  // The remaining weights, fewer than a vector's width.
  for (; tap < taps; ++tap) {
    Real const weight = weights.values[tap];
#pragma unroll
    for (int s = 0; s < width; ++s) {
      sums.v[s] = multiply_add(weight, mine[tap + s], sums.v[s]);
    }
  }
  return sums;
}

/// Stores the sums of a vector of points from `first` on that lie in the box.
/// @param aligned  every vector is aligned to 16 bytes
template <class Real>
__device__ __forceinline__ void store_sums(ConvolutionWork<Real> const& work, bool aligned,
                                           Index3 first, Vector<Real> const& sums) {
  constexpr int width = vector_width<Real>;
  std::int64_t const i = first.x;
  std::int64_t const lower = work.box.lower.x;
  std::int64_t const upper = work.box.upper.x;
  Real* const target = &work.to(i, first.y, first.z);
  // A vector at an end of the box is stored point by point.
  if (aligned && i >= lower && i + width <= upper) {
    store_whole(target, sums);
    return;
  }
#pragma unroll
  for (int s = 0; s < width; ++s) {
    if (i + s >= lower && i + s < upper) target[s] = sums.v[s];
  }
}

/// The kernel along x. A block processes parts of rows one after the other. Its threads stage the
/// values in shared memory. Each thread sums a vector of points in registers.
template <class Real>
__global__ void __launch_bounds__(row_threads)
    convolve_row_parts(ConvolutionWork<Real> work, RowParts rows) {
  constexpr int width = vector_width<Real>;
  constexpr int length = row_threads * width;
  // A thread reads whole vectors. The last one ends at most one vector beyond its last value.
  __shared__ alignas(16) Real values[length + 2 * max_radius + 2 * width];
  int const radius = work.weights.radius;
  LocalBox const& box = work.box;
  std::int64_t const rows_in_plane = box.upper.y - box.lower.y;

  // Grid-stride loop over the parts of all rows.
  for (std::int64_t item = blockIdx.x; item < rows.all; item += gridDim.x) {
    std::int64_t const row = item / rows.parts;
    std::int64_t const plane = row / rows_in_plane;
    std::int64_t const x0 = rows.first_x + (item - row * rows.parts) * length;
    std::int64_t const j = box.lower.y + (row - plane * rows_in_plane);
    std::int64_t const k = box.lower.z + plane;

    __syncthreads();  // the previous values are no longer needed
    Real const* const source = &work.from(x0 - radius, j, k);
    for (int n = threadIdx.x; n < length + 2 * radius; n += row_threads) {
      std::int64_t const i = x0 - radius + n;
      // Points beyond the box and its radius may not exist. No sum that is stored depends on them.
      bool const there = i >= box.lower.x - radius && i < box.upper.x + radius;
      values[n] = there ? source[n] : Real{0};
    }
    __syncthreads();

    std::int64_t const i = x0 + static_cast<std::int64_t>(threadIdx.x) * width;
    Vector<Real> const sums = sum_vector(work.weights, values);
    if (i < box.upper.x) store_sums(work, rows.aligned, {i, j, k}, sums);
  }
}

/// Returns the number of blocks for `items` items, which the blocks process in grid strides.
unsigned blocks_of(std::int64_t items) {
  constexpr std::int64_t maximum = 1 << 20;
  return static_cast<unsigned>(std::clamp<std::int64_t>(items, 1, maximum));
}

/// Launches the kernel along x.
template <class Real>
void convolve_rows(Queue& queue, ConvolutionWork<Real> const& work) {
  constexpr std::int64_t length = row_threads * vector_width<Real>;
  LocalBox const& box = work.box;
  RowParts rows{};
  rows.first_x = align_down<vector_width<Real>>(box.lower.x);
  rows.parts = tiles(box.upper.x - rows.first_x, length);
  rows.all = rows.parts * (box.upper.y - box.lower.y) * (box.upper.z - box.lower.z);
  rows.aligned = vectors_are_aligned(work.to);
  convolve_row_parts<Real>
      <<<blocks_of(rows.all), row_threads, 0, make_current(queue)>>>(work, rows);
  check_launch();
}

// ---- along y and z

/// Threads of a block along y or z.
constexpr int column_threads = 256;
/// Consecutive rows that a thread sums.
constexpr int sums_of_thread = 8;

/// Width of a column in points: 128 bytes, a cache line.
template <class Real>
constexpr int column_width = 128 / static_cast<int>(sizeof(Real));
/// Threads of a block along its column.
template <class Real>
constexpr int threads_along = column_threads / column_width<Real>;
/// Rows that a block computes at a time.
template <class Real>
constexpr int rows_at_a_time = threads_along<Real>* sums_of_thread;

/// Division of a box into columns, one per block.
struct Columns {
  int axis;                  ///< direction of the columns, y or z
  std::int64_t first_x;      ///< x of the first column, a multiple of the width at or below the box
  std::int64_t count_x;      ///< number of columns along x
  std::int64_t count_other;  ///< number of columns along the third axis
  std::int64_t height;       ///< rows per column
  std::int64_t all;
};

/// Computes the sums of `sums_of_thread` rows. value() returns the next value in order.
template <class Real, class Value>
__device__ __forceinline__ void sum_rows(Weights<Real> const& weights, Value const& value,
                                         Real (&sums)[sums_of_thread]) {
  constexpr int rows = sums_of_thread;
  int const taps = 2 * weights.radius + 1;
#pragma unroll
  for (int s = 0; s < rows; ++s) sums[s] = Real{-0.0};
  int q = 0;
  // The first `rows` values: row s has weights from its value number s on.
  if (taps >= rows) {
    Real kept[rows];  // a ring of the last weights, indexed by their number modulo rows
#pragma unroll
    for (int u = 0; u < rows; ++u) {
      kept[u] = weights.values[u];
      Real const v = value();
#pragma unroll
      for (int s = 0; s <= u; ++s) sums[s] = multiply_add(kept[u - s], v, sums[s]);
    }
    // Values for which every row has a weight. Value q + u gets weight q + u - s in row s.
    for (q = rows; q + rows <= taps; q += rows) {
#pragma unroll
      for (int u = 0; u < rows; ++u) {
        kept[u] = weights.values[q + u];
        Real const v = value();
#pragma unroll
        for (int s = 0; s < rows; ++s) {
          sums[s] = multiply_add(kept[(u - s + rows) % rows], v, sums[s]);
        }
      }
    }
  }
  for (; q < taps + rows - 1; ++q) {  // here not every row has a weight for the value
    Real const v = value();
#pragma unroll
    for (int s = 0; s < rows; ++s) {
      if (q - s >= 0 && q - s < taps) {
        sums[s] = multiply_add(weights.values[q - s], v, sums[s]);
      }
    }
  }
}

/// The piece of a column that a thread reads and writes.
template <class Real>
struct ColumnPiece {
  Real const* from;  ///< the first row that the piece reads; valid only if `active`
  Real* to;          ///< the first row that it writes; valid only if `active`
  int count;         ///< rows to write
  bool active;       ///< the thread's x lies in the box
};

/// Returns the calling thread's piece of a column.
/// @param item  number of the column: along x, then along the third axis, then along its own axis
template <class Real>
__device__ __forceinline__ ColumnPiece<Real> piece_of(ConvolutionWork<Real> const& work,
                                                      Columns const& columns, std::int64_t item) {
  LocalBox const& box = work.box;
  bool const along_y = columns.axis == 1;
  std::int64_t const lower = along_y ? box.lower.y : box.lower.z;
  std::int64_t const upper = along_y ? box.upper.y : box.upper.z;
  std::int64_t const beside = item / columns.count_x;
  std::int64_t const above = beside / columns.count_other;
  std::int64_t const i =
      columns.first_x + (item - beside * columns.count_x) * column_width<Real> + threadIdx.x;
  std::int64_t const other =
      (beside - above * columns.count_other) + (along_y ? box.lower.z : box.lower.y);
  std::int64_t const begin = lower + above * columns.height;
  std::int64_t const end = begin + columns.height < upper ? begin + columns.height : upper;
  std::int64_t const first = begin - work.weights.radius;
  return {along_y ? &work.from(i, first, other) : &work.from(i, other, first),
          along_y ? &work.to(i, begin, other) : &work.to(i, other, begin),
          static_cast<int>(end - begin), i >= box.lower.x && i < box.upper.x};
}

/// The kernel along y or z. Thread (x, y) of a block owns column x of the piece and eight
/// consecutive rows of each step. The ring of staged rows is in shared memory, the sums are in
/// registers.
template <class Real>
__global__ void __launch_bounds__(column_threads)
    convolve_marching(ConvolutionWork<Real> work, Columns columns) {
  constexpr int width = column_width<Real>;
  constexpr int step = rows_at_a_time<Real>;
  extern __shared__ double shared_values[];  // double, to be aligned for any Real
  Real* const ring = reinterpret_cast<Real*>(shared_values) + threadIdx.x;
  int const radius = work.weights.radius;
  // The ring contains all rows that one step reads.
  int const ring_rows = step + 2 * radius;
  bool const along_y = columns.axis == 1;
  std::int64_t const from_stride = along_y ? work.from.stride_y : work.from.stride_z;
  std::int64_t const to_stride = along_y ? work.to.stride_y : work.to.stride_z;

  for (std::int64_t item = blockIdx.x; item < columns.all; item += gridDim.x) {
    // Rows are numbered from the first one that the column reads.
    ColumnPiece<Real> const piece = piece_of(work, columns, item);
    int const count = piece.count;
    int staged = 0;
    for (int first = 0; first < count; first += step) {
      int const wanted = (first + step < count ? first + step : count) + 2 * radius;
      __syncthreads();  // the rows to be replaced are no longer needed
      if (piece.active) {
        for (int row = staged + static_cast<int>(threadIdx.y); row < wanted;
             row += threads_along<Real>) {
          // The threads of different y share the new rows; each writes its own column.
          ring[row % ring_rows * width] = piece.from[row * from_stride];
        }
      }
      staged = wanted;
      __syncthreads();

      // Each thread sums its eight consecutive rows. Threads beyond the end wait at the next
      // barrier.
      int const mine = first + static_cast<int>(threadIdx.y) * sums_of_thread;
      if (!piece.active || mine >= count) continue;
      // The slot advances by one per value, so only the first needs a division.
      int slot = mine % ring_rows;
      Real sums[sums_of_thread];
      auto const next_value = [&] {
        Real const value = ring[slot * width];
        slot = slot + 1 == ring_rows ? 0 : slot + 1;
        return value;
      };
      sum_rows<Real>(work.weights, next_value, sums);
#pragma unroll
      for (int s = 0; s < sums_of_thread; ++s) {
        if (mine + s < count) piece.to[(mine + s) * to_stride] = sums[s];
      }
    }
  }
}

/// Returns columns of full height if there are enough of them to fill a device, otherwise shorter
/// ones. Each is at least as high as the rows that it reads beyond its ends.
template <class Real>
Columns columns_of(LocalBox const& box, int axis, int radius) {
  // Number of columns that fills any device.
  constexpr std::int64_t enough = 1 << 13;
  constexpr std::int64_t step = rows_at_a_time<Real>;
  Extent3 const extent = box.extent();
  Columns columns{};
  columns.axis = axis;
  columns.first_x = align_down<column_width<Real>>(box.lower.x);
  columns.count_x = tiles(box.upper.x - columns.first_x, column_width<Real>);
  columns.count_other = extent[3 - axis];
  // Each cut makes the column read 2 · radius rows again, which limits their number.
  std::int64_t const full = columns.count_x * columns.count_other;
  std::int64_t const max_cuts = std::max<std::int64_t>(extent[axis] / (step + 2 * radius), 1);
  std::int64_t const cuts = std::clamp<std::int64_t>(tiles(enough, full), 1, max_cuts);
  columns.height = tiles(tiles(extent[axis], cuts), step) * step;
  columns.all = full * tiles(extent[axis], columns.height);
  return columns;
}

/// Launches the kernel along y or z.
template <class Real>
void convolve_columns(Queue& queue, ConvolutionWork<Real> const& work, int axis) {
  constexpr std::size_t row_bytes = column_width<Real> * sizeof(Real);
  // The ring holds the rows of a step and the radius on both sides.
  static_assert((rows_at_a_time<Real> + 2 * max_radius) * row_bytes <= 48 * 1024,
                "any device has 48 KiB of shared memory for a block");
  int const radius = work.weights.radius;
  Columns const columns = columns_of<Real>(work.box, axis, radius);
  std::size_t const ring_bytes = (rows_at_a_time<Real> + 2 * radius) * row_bytes;
  dim3 const threads(column_width<Real>, threads_along<Real>);
  convolve_marching<Real>
      <<<blocks_of(columns.all), threads, ring_bytes, make_current(queue)>>>(work, columns);
  check_launch();
}

}  // namespace

template <class Real>
void convolve_shared(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights) {
  ConvolutionWork<Real> const work{from, to, box, weights};
  if (axis == 0) {
    convolve_rows(queue, work);
  } else {
    convolve_columns(queue, work, axis);
  }
}

template void convolve_shared(Queue&, FieldView<float const>, FieldView<float>, LocalBox const&,
                              int, Weights<float> const&);
template void convolve_shared(Queue&, FieldView<double const>, FieldView<double>, LocalBox const&,
                              int, Weights<double> const&);

}  // namespace isotherm::cuda
