#pragma once

#include <cstddef>

#include "kernels/transforms/dense/dense_packing.hpp"

namespace isotherm::cuda {

/// The modes of a transform are computed in two halves, by the same threads, from the same values.
/// They are even and odd modes if the axis is its own mirror image. A thread block computes a tile
/// of each half.
struct DenseShape {
  static constexpr int tile_unit = 16;  ///< a tile's number of modes is a multiple
  static constexpr int stage = 8;       ///< terms of the sums that are staged in shared memory

  int terms;  ///< of the sums
  int tiles;  ///< of each half
  int tile;   ///< modes of a tile
  int pitch;  ///< elements from one row of a matrix to the next
  int rows;   ///< of a matrix, a multiple of `stage`

  /// @param count  number of points
  /// @param max_tile  maximum number of modes of a tile
  constexpr DenseShape(int count, bool is_mirrored, int max_tile)
      : terms(is_mirrored ? count - count / 2 : count),
        tiles(rounded_up(count - count / 2, max_tile) / max_tile),
        tile(rounded_up((count - count / 2 + tiles - 1) / tiles, tile_unit)),
        pitch(tiles * tile),
        rows(rounded_up(terms, stage)) {}

  /// Returns the number of elements of the matrix of one half.
  [[nodiscard]] constexpr std::size_t elements() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(pitch);
  }

 private:
  static constexpr int rounded_up(int count, int unit) { return (count + unit - 1) / unit * unit; }
};

/// Maximum number of modes of a tile. Small tiles let two blocks share a multiprocessor, which
/// hides latencies. Without tensor cores the rate is that of the registers, and larger tiles use
/// them more often.
template <class Real>
constexpr int max_dense_tile = sizeof(Real) < 8 ? 128 : 64;

/// Returns the shape of a transform of `count` points.
template <class Real>
constexpr DenseShape dense_shape(int count, bool is_mirrored) {
  return {count, is_mirrored, max_dense_tile<Real>};
}

/// Packs a matrix for each half, row by row, padded with zeros to the shape. The columns of the
/// first half are ⌈n/2⌉ modes (or points), those of the second half the others.
template <class Real>
DensePacking<Real> pack_dense(ModeBlocks const& blocks) {
  int const count = blocks.count();
  DenseShape const shape = dense_shape<Real>(count, blocks.is_mirrored);
  int const first_half = count - count / 2;
  DensePacking<Real> packing;
  packing.values.resize(4 * shape.elements());
  std::size_t first = 0;
  auto const pack = [&](std::array<SquareMatrix, 2> const& matrices, int half) {
    SquareMatrix const& matrix = matrices[blocks.is_mirrored && half == 1 ? 1 : 0];
    int const begin = blocks.is_mirrored || half == 0 ? 0 : first_half;
    int const end = !blocks.is_mirrored && half == 0 ? first_half : matrix.size;
    for (int k = 0; k < matrix.size; ++k) {
      std::size_t const row = first + static_cast<std::size_t>(k) * shape.pitch;
      for (int c = begin; c < end; ++c) {
        packing.values[row + static_cast<std::size_t>(c - begin)] = static_cast<Real>(matrix(k, c));
      }
    }
    std::size_t const at = first;
    first += shape.elements();
    return at;
  };
  for (int half = 0; half < 2; ++half) {
    auto const n = static_cast<std::size_t>(half);
    packing.to_modes.across[n] = packing.to_modes.along[n] = pack(blocks.to_modes, half);
    packing.to_points.across[n] = packing.to_points.along[n] = pack(blocks.to_points, half);
  }
  return packing;
}

/// Returns an upper bound on the number of values of pack_dense() for `count` points.
template <class Real>
constexpr std::size_t packed_values(int count) {
  return 4 * dense_shape<Real>(count, false).elements();
}

}  // namespace isotherm::cuda
