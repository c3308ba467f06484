#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/transforms/dense/mode_blocks.hpp"

namespace isotherm {

/// Where the blocks of a matrix begin in DensePacking::values; see DenseMatrix.
struct DenseOffsets {
  std::array<std::size_t, 2> across{};
  std::array<std::size_t, 2> along{};
};

/// The matrices of a dense transform as a backend's kernels read them, in one array.
template <class Real>
struct DensePacking {
  std::vector<Real> values{};
  DenseOffsets to_modes{};
  DenseOffsets to_points{};
};

}  // namespace isotherm
