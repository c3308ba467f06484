#pragma once

#include <cstdint>

#include "kernels/core/arithmetic.hpp"

// An operator says with which weights a point's neighbours count. It is asked in three steps, so
// that one whose weights differ from point to point can take a row's share out of the loop over x:
//
//   operator.row(j, k)   what it is on a row of points
//   row.point(i)         what it is at a point of that row
//   point.neighbours(at) the weighted sum of the point's nearest neighbours
//   point.share_of(f)    what a source of f adds to that
//
// `at(di, dj, dk)` returns a neighbour's value from wherever the sweep keeps it (global memory, a
// shared tile, a register). One that differs says so (differs_between_points): on CUDA it has a
// sweep of its own (kernels/sweep/cuda/columns.cuh), and the others are compiled for operators that
// do not.

namespace isotherm {

/// The weighted sum of the nearest neighbours, each axis' pair summed first. Because a pair is
/// added before anything else, values that mirror each other across a plane stay bit-equal: a
/// reflected halo may be swept along instead of being reflected again after each step.
template <int Dimension, class Real, class At>
ISOTHERM_INLINE constexpr Real neighbour_sum(Real wx, Real wy, Real wz, At const& at) {
  Real sum = wx * (at(-1, 0, 0) + at(1, 0, 0));
  sum = multiply_add(wy, at(0, -1, 0) + at(0, 1, 0), sum);
  if constexpr (Dimension == 3) {
    sum = multiply_add(wz, at(0, 0, -1) + at(0, 0, 1), sum);
  }
  return sum;
}

/// The same weights at every point: one for both neighbours of each axis.
template <class RealType, int GridDimension>
struct ConstantWeights {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;  ///< halo points read on each side

  Real wx, wy, wz;

  [[nodiscard]] ISOTHERM_INLINE constexpr ConstantWeights row(std::int64_t /*j*/,
                                                              std::int64_t /*k*/) const {
    return *this;
  }
  [[nodiscard]] ISOTHERM_INLINE constexpr ConstantWeights point(std::int64_t /*i*/) const {
    return *this;
  }

  template <class At>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real neighbours(At const& at) const {
    return neighbour_sum<dimension>(wx, wy, wz, at);
  }
  /// The source has been multiplied already.
  [[nodiscard]] ISOTHERM_INLINE constexpr Real share_of(Real source) const { return source; }
};

}  // namespace isotherm
