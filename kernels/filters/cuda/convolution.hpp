#pragma once

#include <string>

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

/// Enqueues a convolution by the given plan. See kernels/filters/convolution.hpp.
/// @param plan  one of convolution_plans()
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights, std::string const& plan);

// The plans, by name.

/// A thread per point reads values from global memory, through the caches.
template <class Real>
void convolve_global(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values are staged in shared memory.
template <class Real>
void convolve_shared(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values are held in registers if the radius is at most 8. Otherwise this is convolve_shared().
template <class Real>
void convolve_in_registers(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                           LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values are read through textures on the field's memory. The box is split into as many parts as
/// textures need to reach all points. If the values of a single point are too far apart for a
/// texture, this is convolve_global().
template <class Real>
void convolve_texture(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                      LocalBox const& box, int axis, Weights<Real> const& weights);

}  // namespace isotherm::cuda
