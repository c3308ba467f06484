#pragma once

#include "kernels/core/box.hpp"

namespace isotherm {

/// What one step of a method does to a point, in float64:
///
///   u ← (1 − 2 Σ_d weight_d) u + Σ_d weight_d (u(−h_d) + u(+h_d)) + source_factor·f
///
/// where the first term vanishes for Jacobi, whose weights sum to one half.
/// A Neumann face adds weight_d · 2 h_d g at its points: the mirrored value is u(−h) = u(+h) + 2hg.
struct Scheme {
  PerAxis<double> weight{};  ///< 0 on axes that the grid does not have
  double source_factor = 0.0;
  double residual_factor = 0.0;  ///< residual = residual_factor · (after − before)
  double time_step_s = 0.0;      ///< 0 for a method without time
  double shift = 0.0;  ///< what the weights of an implicit step leave of the point itself:
                       ///< 1 − 2 Σ weight, exactly; its residual is source − shift·u + Σ weight_d
                       ///< (differences to the neighbours)
};

}  // namespace isotherm
