#pragma once

#include <array>
#include <vector>

#include "kernels/transforms/dense/mode_matrices.hpp"

namespace isotherm {

/// A square matrix, row by row.
struct SquareMatrix {
  int size = 0;
  std::vector<double> values;

  SquareMatrix() = default;
  /// Makes a matrix of zeros.
  explicit SquareMatrix(int rows)
      : size(rows), values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows)) {}
  double& operator()(int row, int column) { return values[at(row, column)]; }
  double operator()(int row, int column) const { return values[at(row, column)]; }

 private:
  [[nodiscard]] std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
           static_cast<std::size_t>(column);
  }
};

/// The matrices of a transform, split into blocks if the axis is its own mirror image.
///
/// If the operator of n points commutes with the mirror image p → n − 1 − p, each mode is even or
/// odd. The even ones, ⌈n/2⌉, depend only on the sums of values at mirrored points, the odd ones on
/// the differences. Block 0 then maps sums to even modes and block 1 differences to odd modes, with
/// half of the operations. Row and column p of a block belong to the points p and n − 1 − p. The
/// point in the middle, which is its own mirror image, belongs to block 0 alone.
///
/// Otherwise block 0 is the whole matrix and block 1 is empty.
///
/// The modes of a block are in the order of falling eigenvalues. Sums over modes then begin with
/// the short waves, whose amplitudes are small if the field is smooth. Their rounding errors are
/// small too, which makes the residual of a solution several times smaller.
///
/// Source: A. Cantoni and P. Butler, Eigenvalues and eigenvectors of symmetric centrosymmetric
/// matrices, Linear Algebra Appl. 13 (1976).
struct ModeBlocks {
  bool is_mirrored = false;
  /// In the order of the blocks: even modes first. Each block begins with its largest eigenvalue.
  std::vector<double> eigenvalues{};
  std::array<SquareMatrix, 2> to_modes{};   ///< (point, mode)
  std::array<SquareMatrix, 2> to_points{};  ///< (mode, point)

  /// Returns the number of points, which is that of the modes.
  [[nodiscard]] int count() const { return static_cast<int>(eigenvalues.size()); }
};

/// Splits the matrices of `modes` if the axis is its own mirror image, up to rounding of the
/// matrices' entries.
/// @throws Error  if the sizes of the arrays do not fit `count`, `count` is not between 1 and
///   max_dense_points, or an eigenvalue is not finite
ModeBlocks mode_blocks(ModeMatrices const& modes);

}  // namespace isotherm
