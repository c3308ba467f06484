#pragma once

#include "kernels/transforms/fft/fft_plan.hpp"
#include "kernels/transforms/fft/line_steps.hpp"

namespace isotherm {

/// What the kernels of a transform need, for both directions. The tables lie in the memory of the
/// queue's backend.
template <class Real>
struct LineTransform {
  FftPlan plan;
  Complex<Real> const* roots = nullptr;  ///< exp(−2πi k/N), k < N
  LineSteps<Real> to_modes;
  LineSteps<Real> to_points;
};

/// What a pass over a box does with each of its lines.
enum class LinePass : std::uint8_t { to_modes, to_points, solve };

}  // namespace isotherm
