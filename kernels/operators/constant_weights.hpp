#pragma once

#include <cstdint>

#include "kernels/core/arithmetic.hpp"

// An operator defines the weights of a point's neighbours. It is evaluated in three steps, so
// operators with variable coefficients can hoist work out of the loop over x:
//
//   operator.row(j, k)    the operator on a row of points
//   row.point(i)          the operator at a point of that row
//   point.neighbours(at)  the weighted sum of the point's nearest neighbours
//   point.share_of(f)     the contribution of a source f to that sum
//
// `at(di, dj, dk)` returns a neighbour's value from wherever the sweep holds it: global memory, a
// shared tile or a register.
//
// Variable-coefficient operators set differs_between_points. On CUDA they have their own sweep
// (kernels/sweep/cuda/columns/columns.cuh); the others are compiled for constant coefficients only.

namespace isotherm {

/// Returns the weighted sum of the nearest neighbours.
///
/// The two neighbours of an axis are added first. Values that mirror each other across a plane
/// therefore remain equal to the last bit. A reflected halo can thus be swept together with the
/// field, instead of being reflected after each step.
template <int Dimension, class Real, class At>
ISOTHERM_INLINE constexpr Real neighbour_sum(Real wx, Real wy, Real wz, At const& at) {
  Real sum = wx * (at(-1, 0, 0) + at(1, 0, 0));
  sum = multiply_add(wy, at(0, -1, 0) + at(0, 1, 0), sum);
  if constexpr (Dimension == 3) {
    sum = multiply_add(wz, at(0, 0, -1) + at(0, 0, 1), sum);
  }
  return sum;
}

/// The operator with constant coefficients: one weight per axis, for both neighbours.
template <class RealType, int GridDimension>
struct ConstantWeights {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;  ///< ghost points read on each side

  Real wx, wy, wz;  ///< wz: unused in 2D

  /// Returns the operator itself: it is the same everywhere.
  [[nodiscard]] ISOTHERM_INLINE constexpr ConstantWeights row(std::int64_t /*j*/,
                                                              std::int64_t /*k*/) const {
    return *this;
  }
  /// Returns the operator itself.
  [[nodiscard]] ISOTHERM_INLINE constexpr ConstantWeights point(std::int64_t /*i*/) const {
    return *this;
  }

  /// Returns Σ w (u(−1) + u(+1)) over the axes.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real neighbours(At const& at) const {
    return neighbour_sum<dimension>(wx, wy, wz, at);
  }
  /// Returns `source`, which has already been scaled by the inverse diagonal.
  [[nodiscard]] ISOTHERM_INLINE constexpr Real share_of(Real source) const { return source; }
};

}  // namespace isotherm
