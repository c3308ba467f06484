#pragma once

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

/// Enqueues a convolution, see kernels/filters/convolution.hpp. Values are held in registers if the
/// radius is at most 8. Otherwise this is convolve_shared().
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights);

/// The same for any radius: values are staged in shared memory.
template <class Real>
void convolve_shared(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights);

}  // namespace isotherm::cuda
