#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/sweep/cuda/copy_value.cuh"
#include "kernels/transforms/dense/cuda/dense_packing.hpp"
#include "kernels/transforms/dense/dense_tables.hpp"

// The matrix products of dense transforms: stages in shared memory, and products of a stage by
// tensor cores or by fused multiply-adds.

namespace isotherm::cuda {

constexpr int dense_lines = 64;  ///< lines of a thread block

/// Which values a sum of block 0 and one of block 1 consist of.
enum class DenseInput : std::uint8_t {
  common,    ///< the same values
  mirrored,  ///< sums and differences of the values at mirrored points
  separate,  ///< the modes of block 0 and those of block 1
};

/// The division of a thread block into warps, each of which computes 32 lines.
template <class Real>
struct DenseBlock {
  static constexpr int max_tile = max_dense_tile<Real>;
  static constexpr int warp_tiles = sizeof(Real) < 8 ? 2 : 1;  ///< tiles of 16 modes of a warp
  static constexpr int mode_warps = max_tile / (16 * warp_tiles);
  static constexpr int threads = 32 * mode_warps * (dense_lines / 32);
  /// Blocks of a multiprocessor such that each thread has 128 registers, 256 in float32.
  static constexpr int blocks = (sizeof(Real) < 8 ? 256 : 512) / threads;
};

/// Terms of the sums in shared memory: rows of both matrices, and values of the lines.
template <class Real, bool along_x, DenseInput input>
struct DenseStage {
  /// Elements between rows of matrices. Modulo 16 it is 4, so the 4 rows of 4 columns that half a
  /// warp reads lie in different banks.
  static constexpr int pitch = DenseBlock<Real>::max_tile + 4;
  static constexpr int terms = DenseShape::stage;
  /// Elements between adjacent terms and between adjacent lines. Threads store values in the order
  /// in which they lie in global memory.
  static constexpr int term = along_x ? 1 : dense_lines + 4;
  static constexpr int line = along_x ? terms + 4 : 1;

  alignas(16) Real matrix[2][terms * pitch];
  /// Values of block 0 and those of block 1, if these are others.
  Real values[input == DenseInput::common ? 1 : 2][along_x ? dense_lines * line : terms * term];
};

/// The sums that a thread computes of the products of a 16 × 8 tile (modes × lines), as
/// mma.m16n8k8 distributes them: modes g and g + 8, lines 2 t and 2 t + 1.
template <class Real>
struct DenseSums {
  Real v[4];
};

/// The place of a thread in its warp: its group g of 4 threads, and its number t in the group.
struct WarpPlace {
  int group = static_cast<int>(threadIdx.x % 32) / 4;
  int number = static_cast<int>(threadIdx.x % 4);
};

/// Adds the product of 16 × 8 multipliers and 8 × 8 values by tensor cores. Thread (g, t) gives the
/// multipliers (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4) and the values of line g in terms t
/// and t + 4.
__device__ __forceinline__ void multiply_by_tensor_cores(DenseSums<double>& sums,
                                                         double const (&a)[4],
                                                         double const (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sums.v[0]), "+d"(sums.v[1]), "+d"(sums.v[2]), "+d"(sums.v[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(sums.v[2 * upper]), "+d"(sums.v[2 * upper + 1])
          : "d"(a[2 * half + upper]), "d"(b[half]));
    }
  }
#endif
}

/// True if the device code multiplies matrices of this type by tensor cores without rounding them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <class Real>
constexpr bool has_tensor_cores = sizeof(Real) == 8;
#else
template <class Real>
constexpr bool has_tensor_cores = false;
#endif

/// The sums of a warp: 16 or 32 modes of each half for 32 lines. The 16 × 8 tiles of a warp lie as
/// far apart as possible, so all warps have work if a block's tile has few modes.
template <class Real, bool along_x, DenseInput input>
class DenseWarp {
 public:
  using Block = DenseBlock<Real>;
  static constexpr int tiles = Block::warp_tiles;  ///< along the modes
  static constexpr int columns = 4;                ///< 16 × 8 tiles along the lines
  using Stage = DenseStage<Real, along_x, input>;

  /// @param modes  number of modes of each half that the thread block computes
  __device__ explicit DenseWarp(int modes) : modes_(modes) {}

  /// Returns the first mode of a tile.
  __device__ __forceinline__ int mode(int tile) const {
    return 16 * (static_cast<int>(threadIdx.x) / 64 + Block::mode_warps * tile);
  }
  /// Returns the first line of a tile.
  __device__ __forceinline__ int line(int column) const {
    return 32 * (static_cast<int>(threadIdx.x) / 32 % 2) + 8 * column;
  }
  /// Returns true if the thread block has modes in a tile.
  __device__ __forceinline__ bool has(int tile) const { return mode(tile) < modes_; }

  /// Adds the products of a stage.
  __device__ __forceinline__ void add(Stage const& stage) {
    // Without branches for each tile: code that fits the caches of instructions.
    if (tiles == 2 && has(1)) {
      add_tiles<tiles>(stage);
    } else if (has(0)) {
      add_tiles<1>(stage);
    }
  }
  __device__ __forceinline__ Real sum(int half, int tile, int column, int n) const {
    return sums_[half][tile][column].v[n];
  }

 private:
  /// Adds the products of the first `count` tiles.
  template <int count>
  __device__ __forceinline__ void add_tiles(Stage const& stage) {
    if constexpr (has_tensor_cores<Real>) {
      add_by_tensor_cores<count>(stage);
    } else {
      for (int k = 0; k < Stage::terms; ++k) add_term<count>(stage, k);
    }
  }
  /// The values of one term and line that the two halves multiply.
  struct Pair {
    Real first;
    Real second;
  };
  __device__ __forceinline__ static Pair values(Stage const& stage, int k, int line) {
    int const at = k * Stage::term + line * Stage::line;
    Real const first = stage.values[0][at];
    if constexpr (input == DenseInput::common) {
      return {first, first};
    } else {
      Real const second = stage.values[1][at];
      if constexpr (input == DenseInput::separate) return {first, second};
      return {first + second, first - second};
    }
  }

  template <int count>
  __device__ __forceinline__ void add_by_tensor_cores(Stage const& stage) {
    Real a[2][count][4];
    WarpPlace const at;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int tile = 0; tile < count; ++tile) {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          a[half][tile][n] = stage.matrix[half][(at.number + n / 2 * 4) * Stage::pitch +
                                                mode(tile) + at.group + n % 2 * 8];
        }
      }
    }
#pragma unroll
    for (int column = 0; column < columns; ++column) {
      int const mine = line(column) + at.group;
      Pair const low = values(stage, at.number, mine);
      Pair const high = values(stage, at.number + 4, mine);
#pragma unroll
      for (int tile = 0; tile < count; ++tile) {
        multiply_by_tensor_cores(sums_[0][tile][column], a[0][tile], {low.first, high.first});
        multiply_by_tensor_cores(sums_[1][tile][column], a[1][tile], {low.second, high.second});
      }
    }
  }

  template <int count>
  __device__ __forceinline__ void add_term(Stage const& stage, int k) {
    WarpPlace const at;
    Pair b[columns][2];
#pragma unroll
    for (int column = 0; column < columns; ++column) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        b[column][n] = values(stage, k, line(column) + 2 * at.number + n);
      }
    }
#pragma unroll
    for (int tile = 0; tile < count; ++tile) {
#pragma unroll
      for (int upper = 0; upper < 2; ++upper) {
        int const row = k * Stage::pitch + mode(tile) + at.group + 8 * upper;
        Real const first = stage.matrix[0][row];
        Real const second = stage.matrix[1][row];
#pragma unroll
        for (int column = 0; column < columns; ++column) {
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            Real& even = sums_[0][tile][column].v[2 * upper + n];
            Real& odd = sums_[1][tile][column].v[2 * upper + n];
            even = multiply_add(first, b[column][n].first, even);
            odd = multiply_add(second, b[column][n].second, odd);
          }
        }
      }
    }
  }

  int modes_;
  DenseSums<Real> sums_[2][tiles][columns] = {};
};

}  // namespace isotherm::cuda
