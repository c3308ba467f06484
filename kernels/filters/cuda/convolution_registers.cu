#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/filters/cuda/convolution.cuh"
#include "kernels/filters/cuda/convolution.hpp"

// If there are few weights, everything that a thread needs fits its registers. Each radius has its
// own kernels, in which all indices are constant. Weights are then operands from constant memory.
//
// All sums begin with −0, the neutral element, and add their values in the order of the weights.
//
//   along x        a thread reads a vector of 16 bytes, and as many vectors on each side as the
//                  radius needs, mostly from the cache; it sums the points of its own vector
//   along y and z  a warp marches along 32 adjacent columns, eight rows at a time; values that
//                  later rows need remain in registers, and the next eight are being loaded

namespace isotherm::cuda {

namespace {

/// Returns the weighted sum of the 2 radius + 1 values from `first` on.
template <int radius, class Real>
__device__ __forceinline__ Real weighted_sum(Weights<Real> const& weights, Real const* first) {
  Real sum{-0.0};
#pragma unroll
  for (int t = 0; t <= 2 * radius; ++t) sum = multiply_add(weights.values[t], first[t], sum);
  return sum;
}

// ---- along x

/// Rows of a block along x.
constexpr int rows_of_block = 8;

/// Alignment of the vectors of rows.
struct RowVectors {
  std::int64_t first_x;  ///< x of the first vector, a multiple of its width at or below the box
  bool aligned;          ///< every vector is aligned to 16 bytes in both fields
};

/// Computes a whole vector of points.
template <class Real, int radius>
__device__ __forceinline__ void convolve_vector(Weights<Real> const& weights, Real const* from,
                                                Real* to) {
  constexpr int width = Vector<Real>::width;
  // Whole vectors on each side that cover the radius.
  constexpr int beside = tiles(radius, width);
  Real near[(2 * beside + 1) * width];
#pragma unroll
  for (int n = 0; n <= 2 * beside; ++n) {
    auto const vector = reinterpret_cast<Vector<Real> const*>(from)[n - beside];
#pragma unroll
    for (int s = 0; s < width; ++s) near[n * width + s] = vector.v[s];
  }
  // All sums of the vector share the loaded values.
  Vector<Real> sums;
#pragma unroll
  for (int s = 0; s < width; ++s) {
    sums.v[s] = weighted_sum<radius>(weights, near + beside * width - radius + s);
  }
  store_whole(to, sums);
}

/// Computes the points of an incomplete vector one by one.
template <class Real, int radius>
__device__ __forceinline__ void convolve_singly(Weights<Real> const& weights, Real const* from,
                                                Real* to, int begin, int end) {
#pragma unroll 1
  for (int s = begin; s < end; ++s) to[s] = weighted_sum<radius>(weights, from + s - radius);
}

/// The kernel along x: one vector per thread and row.
template <class Real, int radius>
__global__ void __launch_bounds__(32 * rows_of_block)
    convolve_rows(ConvolutionWork<Real> work, RowVectors vectors) {
  constexpr int width = Vector<Real>::width;
  LocalBox const& box = work.box;
  std::int64_t const lane = static_cast<std::int64_t>(blockIdx.x) * 32 + threadIdx.x;
  std::int64_t const i = vectors.first_x + lane * width;
  if (i >= box.upper.x) return;
  // A vector is whole if all its points lie in the box.
  bool const whole = vectors.aligned && i >= box.lower.x && i + width <= box.upper.x;
  int const begin = i < box.lower.x ? static_cast<int>(box.lower.x - i) : 0;
  int const end = i + width > box.upper.x ? static_cast<int>(box.upper.x - i) : width;
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.y) * rows_of_block;
  // Grid-stride loops in y and z, whose numbers of blocks CUDA limits.
  for (std::int64_t k = box.lower.z + blockIdx.z; k < box.upper.z; k += gridDim.z) {
    std::int64_t j = box.lower.y + static_cast<std::int64_t>(blockIdx.y) * rows_of_block;
    for (j += threadIdx.y; j < box.upper.y; j += stride) {
      Real const* const from = &work.from(i, j, k);
      Real* const to = &work.to(i, j, k);
      if (whole) {
        convolve_vector<Real, radius>(work.weights, from, to);
      } else {
        convolve_singly<Real, radius>(work.weights, from, to, begin, end);
      }
    }
  }
}

/// Launches the kernel along x.
template <class Real, int radius>
void launch_along_x(Queue& queue, ConvolutionWork<Real> const& work) {
  constexpr std::int64_t max_blocks = 65535;  // CUDA's limit in y and z
  constexpr int width = Vector<Real>::width;
  LocalBox const& box = work.box;
  Extent3 const extent = box.extent();
  RowVectors const vectors{align_down<width>(box.lower.x),
                           vectors_are_aligned(work.from) && vectors_are_aligned(work.to)};
  dim3 const blocks(static_cast<unsigned>(tiles(box.upper.x - vectors.first_x, 32 * width)),
                    static_cast<unsigned>(std::min(tiles(extent.y, rows_of_block), max_blocks)),
                    static_cast<unsigned>(std::min(extent.z, max_blocks)));
  convolve_rows<Real, radius>
      <<<blocks, dim3(32, rows_of_block), 0, make_current(queue)>>>(work, vectors);
}

// ---- along y and z

/// Rows that a warp sums per iteration.
constexpr int rows_at_a_time = 8;

/// Division of a box into pieces of 32 columns, one per warp.
struct Pieces {
  int axis;                  ///< direction of the columns, y or z
  std::int64_t count_x;      ///< number of pieces along x
  std::int64_t count_other;  ///< number of pieces along the third axis
  std::int64_t height;       ///< rows per piece
  std::int64_t all;
};

/// A thread's column of a piece: the first value that it reads, and its destination.
template <class Real>
struct Column {
  Real const* from;
  Real* to;
  std::int64_t from_stride, to_stride;
  std::int64_t rows;
};

/// Returns the thread's column of the piece with number `item`.
template <class Real>
__device__ Column<Real> column_of(ConvolutionWork<Real> const& work, Pieces const& pieces,
                                  std::int64_t item) {
  LocalBox const& box = work.box;
  bool const along_y = pieces.axis == 1;
  // Pieces are numbered along x, then along the third axis, then along the marching axis.
  std::int64_t const beside = item / pieces.count_x;
  std::int64_t const above = beside / pieces.count_other;
  std::int64_t const i = box.lower.x + (item - beside * pieces.count_x) * 32 + threadIdx.x % 32;
  std::int64_t const other =
      (beside - above * pieces.count_other) + (along_y ? box.lower.z : box.lower.y);
  std::int64_t const begin = (along_y ? box.lower.y : box.lower.z) + above * pieces.height;
  std::int64_t const upper = along_y ? box.upper.y : box.upper.z;
  std::int64_t const end = begin + pieces.height < upper ? begin + pieces.height : upper;
  std::int64_t const first = begin - work.weights.radius;
  return {along_y ? &work.from(i, first, other) : &work.from(i, other, first),
          along_y ? &work.to(i, begin, other) : &work.to(i, other, begin),
          along_y ? work.from.stride_y : work.from.stride_z,
          along_y ? work.to.stride_y : work.to.stride_z, i < box.upper.x ? end - begin : 0};
}

/// Marches along a column. `near` is a window of values that slides by eight rows.
template <int radius, class Real>
__device__ __forceinline__ void march(Weights<Real> const& weights, Column<Real> const& column) {
  constexpr int step = rows_at_a_time;
  // Rows beyond the last one that a sum needs may not exist.
  std::int64_t const readable = column.rows + 2 * radius;
  auto const read = [&](std::int64_t row) {
    return row < readable ? column.from[row * column.from_stride] : Real{0};
  };
  Real near[2 * radius + step];
#pragma unroll
  for (int n = 0; n < 2 * radius + step; ++n) near[n] = read(n);
  for (std::int64_t row = 0; row < column.rows; row += step) {
    // Start loading the next eight values before the current sums are computed.
    Real next[step];
#pragma unroll
    for (int s = 0; s < step; ++s) next[s] = read(row + step + 2 * radius + s);
#pragma unroll
    for (int s = 0; s < step; ++s) {
      Real const sum = weighted_sum<radius>(weights, near + s);
      if (row + s < column.rows) column.to[(row + s) * column.to_stride] = sum;
    }
#pragma unroll
    for (int n = 0; n < 2 * radius; ++n) near[n] = near[n + step];
#pragma unroll
    for (int s = 0; s < step; ++s) near[2 * radius + s] = next[s];
  }
}

/// The kernel along y or z: each warp processes pieces. A lane owns one of the 32 columns of a
/// piece and holds a sliding window of its values in registers.
template <class Real, int radius>
__global__ void __launch_bounds__(threads_per_block)
    convolve_columns(ConvolutionWork<Real> work, Pieces pieces) {
  constexpr int warps = threads_per_block / 32;
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * warps;
  std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
  for (; item < pieces.all; item += stride) {
    auto const column = column_of(work, pieces, item);
    if (column.rows > 0) march<radius>(work.weights, column);
  }
}

/// Returns pieces of full height if there are enough of them to fill a device, otherwise lower
/// ones.
Pieces pieces_of(LocalBox const& box, int axis) {
  constexpr std::int64_t enough = 1 << 14;
  Extent3 const extent = box.extent();
  Pieces pieces{};
  pieces.axis = axis;
  pieces.count_x = tiles(extent.x, 32);
  pieces.count_other = extent[3 - axis];
  std::int64_t const full = pieces.count_x * pieces.count_other;
  // Enough pieces to fill a device. More pieces read the rows around their ends repeatedly.
  std::int64_t const cuts = std::clamp<std::int64_t>(tiles(enough, full), 1, extent[axis]);
  pieces.height = tiles(tiles(extent[axis], cuts), rows_at_a_time) * rows_at_a_time;
  pieces.all = full * tiles(extent[axis], pieces.height);
  return pieces;
}

/// Launches the kernel of the given axis.
template <class Real, int radius>
void launch_along(Queue& queue, ConvolutionWork<Real> const& work, int axis) {
  if (axis == 0) {
    launch_along_x<Real, radius>(queue, work);
  } else {
    Pieces const pieces = pieces_of(work.box, axis);
    convolve_columns<Real, radius>
        <<<blocks_for(pieces.all * 32), threads_per_block, 0, make_current(queue)>>>(work, pieces);
  }
  check_launch();
}

/// Launches the kernel for the radius of the weights, one of `radii`.
template <class Real, int... radii>
void launch_of_radius(Queue& queue, ConvolutionWork<Real> const& work, int axis,
                      std::integer_sequence<int, radii...>) {
  ((work.weights.radius == radii ? launch_along<Real, radii>(queue, work, axis) : void()), ...);
}

/// Maximum radius that kernels are compiled for.
constexpr int max_in_registers = 8;

}  // namespace

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights) {
  if (weights.radius > max_in_registers) {
    return convolve_shared(queue, from, to, box, axis, weights);
  }
  launch_of_radius(queue, ConvolutionWork<Real>{from, to, box, weights}, axis,
                   std::make_integer_sequence<int, max_in_registers + 1>{});
}

template void convolve(Queue&, FieldView<float const>, FieldView<float>, LocalBox const&, int,
                       Weights<float> const&);
template void convolve(Queue&, FieldView<double const>, FieldView<double>, LocalBox const&, int,
                       Weights<double> const&);

}  // namespace isotherm::cuda
