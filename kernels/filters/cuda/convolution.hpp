#pragma once

#include <string>

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

/// @param plan  of convolution_plans()
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights, std::string const& plan);

// The plans, by name.

template <class Real>
void convolve_global(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values are staged in shared memory.
template <class Real>
void convolve_shared(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values stay in registers where weights reach 8 points at most; else as `shared`.
template <class Real>
void convolve_in_registers(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                           LocalBox const& box, int axis, Weights<Real> const& weights);

/// Values are read through textures on the field's memory, in as many parts as textures need to
/// reach all of it. Where what a point takes lies too far apart for one, as `global`.
template <class Real>
void convolve_texture(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                      LocalBox const& box, int axis, Weights<Real> const& weights);

}  // namespace isotherm::cuda
