#pragma once

#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// A Gaussian: height · exp(−|r − center|² / (2 width²)). Lengths are in the grid's unit.
struct GaussianTerm {
  double x = 0.0, y = 0.0, z = 0.0;
  double width = 1.0;
  double height = 1.0;
};

/// The positions of a field's points: coordinate = lower + (first + i) · spacing per axis, with
/// local index i.
struct PointFrame {
  // Plain arrays, since kernels index them.
  double lower[3];    // NOLINT(modernize-avoid-c-arrays)
  double spacing[3];  // NOLINT(modernize-avoid-c-arrays)
  Index3 first;       ///< global index of local point (0,0,0)
};

/// Enqueues field(p) += Σ terms at p for the points of `box`.
///
/// The sum is computed in float64 in the order of `terms`. It has the same bits on every backend.
/// In 2D (`dimension` 2), z is ignored. On CUDA the call waits for the work to end.
/// @throws Error  if `box` reaches past the field
template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<GaussianTerm> const& terms);

}  // namespace isotherm
