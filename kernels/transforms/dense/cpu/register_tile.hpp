#pragma once

#include <cstddef>

#include "kernels/core/cpu/vector.hpp"

namespace isotherm::cpu {

/// A part of a matrix product that the registers hold: rows of vectors. The numbers of rows use
/// nearly all registers of AVX2 (16) and AVX-512 (32).
template <class Real>
struct RegisterTile {
  static constexpr int vectors = 2;
  static constexpr int rows = Vector<Real>::width * sizeof(Real) == 64 ? 12 : 6;
  static constexpr int columns = vectors * Vector<Real>::width;
};

/// The factor of a register tile whose elements multiply whole vectors.
template <class Real>
struct Multipliers {
  Real const* first;
  std::ptrdiff_t row;   ///< elements from one row of the tile to the next
  std::ptrdiff_t term;  ///< elements from one term of the sums to the next
};

/// Computes one tile of a matrix product:
///
///   to[r · to_row + c] = Σ_k multipliers(r, k) vectors[k · columns + c],   k = 0 … terms − 1
///
/// The terms are added in order, so the result does not depend on the tile that a row is in.
template <class Real>
[[gnu::always_inline]] inline void multiply_tile(int terms, Multipliers<Real> multipliers,
                                                 Real const* vectors, Real* to,
                                                 std::ptrdiff_t to_row) {
  using Tile = RegisterTile<Real>;
  using Values = Vector<Real>;
  Values sums[Tile::rows][Tile::vectors];  // NOLINT(modernize-avoid-c-arrays): registers
#pragma GCC unroll 16
  for (auto& row : sums) {
#pragma GCC unroll 4
    for (Values& sum : row) sum = Values::all(Real{0});
  }
  Real const* multiplier = multipliers.first;
  for (int k = 0; k < terms; ++k) {
    Values factors[Tile::vectors];  // NOLINT(modernize-avoid-c-arrays): registers
#pragma GCC unroll 4
    for (int v = 0; v < Tile::vectors; ++v) factors[v] = Values::load(vectors + v * Values::width);
#pragma GCC unroll 16
    for (int r = 0; r < Tile::rows; ++r) {
      Values const each = Values::all(multiplier[r * multipliers.row]);
#pragma GCC unroll 4
      for (int v = 0; v < Tile::vectors; ++v) {
        sums[r][v] = multiply_add_each(each, factors[v], sums[r][v]);
      }
    }
    multiplier += multipliers.term;
    vectors += Tile::columns;
  }
#pragma GCC unroll 16
  for (int r = 0; r < Tile::rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < Tile::vectors; ++v) {
      sums[r][v].store(to + r * to_row + v * Values::width);
    }
  }
}

}  // namespace isotherm::cpu
