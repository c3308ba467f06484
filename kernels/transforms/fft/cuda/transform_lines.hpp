#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/fft/line_transform.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm::cuda {

/// Length of the longest transform, whose complex line fits the shared memory of a block.
constexpr std::int64_t max_length = 8192;

/// Enqueues the transform of all lines of `box` along `axis`; see FftTransform.
/// @param spectrum  for LinePass::solve
template <class Real>
void transform_lines(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
                     FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                     Spectrum<Real> const& spectrum);

}  // namespace isotherm::cuda
