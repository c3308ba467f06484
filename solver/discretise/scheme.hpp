#pragma once

#include "kernels/core/box.hpp"

namespace isotherm {

/// The coefficients, in float64, of one step of a method with constant coefficients:
///
///   u ← (1 − 2 Σ_d weight_d) u + Σ_d weight_d (u(−h_d) + u(+h_d)) + source_factor·f
///
/// For Jacobi the first term vanishes, because its weights sum to one half. A Neumann face adds
/// weight_d · 2 h_d g at its points, since the mirrored value is u(−h) = u(+h) + 2 h g.
///
/// A heterogeneous medium has its coefficients in fields; the weights are then 0.
struct Scheme {
  PerAxis<double> weight{};      ///< 0 on axes that the grid does not have
  double source_factor = 0.0;    ///< of f in the step
  double residual_factor = 0.0;  ///< residual = residual_factor · (after − before)
  double time_step_s = 0.0;      ///< 0 for a method without time
  /// The weight of the point itself in an implicit step, exactly 1 − 2 Σ weight. Residuals of the
  /// step are source − shift · u + Σ_d weight_d (differences to the neighbours).
  double shift = 0.0;
};

}  // namespace isotherm
