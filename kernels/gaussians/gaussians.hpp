#pragma once

#include <string>
#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// height · exp(−|r − center|² / (2 width²)); lengths in the grid's unit.
struct GaussianTerm {
  double x = 0.0, y = 0.0, z = 0.0;
  double width = 1.0;
  double height = 1.0;
};

/// Where a field's points lie: coordinate = lower + (first + i) · spacing per axis, with i local.
struct PointFrame {
  // Plain arrays, because kernels index them.
  double lower[3];    // NOLINT(modernize-avoid-c-arrays)
  double spacing[3];  // NOLINT(modernize-avoid-c-arrays)
  Index3 first;       ///< global index of local point (0,0,0)
};

/// Where kernels find the terms, by name; a plan never changes the result, bit for bit. All that
/// the backend has, the default one first.
std::vector<std::string> gaussian_plans(Backend backend);

/// Enqueues field(p) += Σ terms at p, for the points of `box`; the sum is taken in float64 in the
/// order of `terms` and is bit-equal on every backend and with every plan. In 2D (`dimension` 2) z
/// does not count. On CUDA the call waits for the work to end.
/// @param plan    of gaussian_plans(); empty: the default one
/// @throws Error  where the backend does not have the plan
template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<GaussianTerm> const& terms,
                   std::string const& plan = "");

}  // namespace isotherm
