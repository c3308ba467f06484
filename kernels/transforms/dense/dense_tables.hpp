#pragma once

#include <array>
#include <cstdint>

#include "kernels/transforms/line_set.hpp"
#include "kernels/transforms/line_spectrum.hpp"

// What the CPU and the CUDA implementation of DenseTransform have in common.

namespace isotherm {

/// A matrix of ModeBlocks in the queue's memory, in the layouts of the backend's kernels. On the
/// CPU see cpu/dense_packing.hpp, on CUDA cuda/dense_packing.hpp.
template <class Real>
struct DenseMatrix {
  std::array<Real const*, 2> across{};  ///< block by block, for lines along y and z
  std::array<Real const*, 2> along{};   ///< block by block, for lines along x
};

/// The matrices of a transform.
template <class Real>
struct DenseTables {
  int count = 0;             ///< points of a line
  bool is_mirrored = false;  ///< see ModeBlocks
  DenseMatrix<Real> to_modes{};
  DenseMatrix<Real> to_points{};

  /// Returns the number of rows and columns of a block of ModeBlocks.
  [[nodiscard]] ISOTHERM_INLINE int size(int block) const {
    if (!is_mirrored) return block == 0 ? count : 0;
    return block == 0 ? count - count / 2 : count / 2;
  }
};

/// What to do with each line: a transform, or both transforms with a division by eigenvalues in
/// between.
enum class LineTask : std::uint8_t { to_modes, to_points, solve };

/// A pass of a dense transform over lines.
template <class Real>
struct DensePass {
  LineTask task{};
  DenseTables<Real> tables{};
  LineSet<Real const> from{};
  LineSet<Real> to{};
  std::int64_t lines = 0;         ///< number of lines
  LineSpectrum<Real> spectrum{};  ///< for LineTask::solve
};

}  // namespace isotherm
