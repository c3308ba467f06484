#pragma once

#include <cstddef>

#include "kernels/transforms/dense/cpu/register_tile.hpp"
#include "kernels/transforms/dense/dense_packing.hpp"

namespace isotherm::cpu {

/// Returns `count`, rounded up to a multiple of `unit`.
constexpr std::size_t rounded_up(int count, int unit) {
  return (static_cast<std::size_t>(count) + static_cast<std::size_t>(unit) - 1) /
         static_cast<std::size_t>(unit) * static_cast<std::size_t>(unit);
}

/// Appends the columns of a matrix to `values` in groups of `width`, padded with zeros: element
/// (k, c) lies at [(c / width · size + k) · width + c mod width].
template <class Real>
std::size_t pack_columns(SquareMatrix const& matrix, int width, std::vector<Real>& values) {
  std::size_t const first = values.size();
  auto const rows = static_cast<std::size_t>(matrix.size);
  auto const w = static_cast<std::size_t>(width);
  values.resize(first + rows * rounded_up(matrix.size, width));
  for (int k = 0; k < matrix.size; ++k) {
    for (int c = 0; c < matrix.size; ++c) {
      auto const column = static_cast<std::size_t>(c);
      std::size_t const at = (column / w * rows + static_cast<std::size_t>(k)) * w + column % w;
      values[first + at] = static_cast<Real>(matrix(k, c));
    }
  }
  return first;
}

/// Returns a matrix with its rows, or its columns, in reverse order.
inline SquareMatrix reversed(SquareMatrix const& matrix, bool rows) {
  SquareMatrix result(matrix.size);
  for (int r = 0; r < matrix.size; ++r) {
    for (int c = 0; c < matrix.size; ++c) {
      result(r, c) = rows ? matrix(matrix.size - 1 - r, c) : matrix(r, matrix.size - 1 - c);
    }
  }
  return result;
}

/// Packs the matrices in groups of columns: as many as a register tile has rows for lines along y
/// and z, as many as it has columns for lines along x.
///
/// The points of block 1 are in reverse order. The difference of points p and n − 1 − p is then
/// stored in place of the value at n − 1 − p, and the sum in place of that at p.
template <class Real>
DensePacking<Real> pack_dense(ModeBlocks const& blocks) {
  using Tile = RegisterTile<Real>;
  DensePacking<Real> packing;
  for (std::size_t block = 0; block < 2; ++block) {
    auto const pack = [&](SquareMatrix const& matrix, DenseOffsets& offsets) {
      offsets.across[block] = pack_columns(matrix, Tile::rows, packing.values);
      packing.values.resize(rounded_up(static_cast<int>(packing.values.size()), Tile::columns));
      offsets.along[block] = pack_columns(matrix, Tile::columns, packing.values);
    };
    bool const is_odd = block == 1;
    SquareMatrix const& to_modes = blocks.to_modes[block];
    SquareMatrix const& to_points = blocks.to_points[block];
    pack(is_odd ? reversed(to_modes, true) : to_modes, packing.to_modes);
    pack(is_odd ? reversed(to_points, false) : to_points, packing.to_points);
  }
  return packing;
}

/// Returns an upper bound on the number of values of pack_dense() for `count` points.
template <class Real>
std::size_t packed_values(int count) {
  using Tile = RegisterTile<Real>;
  auto const n = static_cast<std::size_t>(count);
  // Two blocks have fewer elements than one, but each of them may be padded.
  std::size_t const matrix = n * (rounded_up(count, Tile::rows) + rounded_up(count, Tile::columns));
  return 2 * matrix + 4 * Tile::columns;
}

}  // namespace isotherm::cpu
