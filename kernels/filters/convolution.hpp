#pragma once

#include <span>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Maximum radius of a convolution along an axis. The limit is due to the weights, which are part
/// of the kernel's parameters on CUDA.
constexpr int max_radius = 127;

/// Enqueues a convolution along an axis: to(p) = Σ weights[m + r] · from(p + m e), m = −r … r, for
/// the points p of `box`. e is a unit step along `axis`, and 2 r + 1 is the number of weights.
///
/// The sum is computed in the field's precision in the order of the weights. It has the same bits
/// on every backend.
///
///   std::vector<double> const weights = gaussian_weights(1.5);
///   convolve<float>(queue, from, to, box, 0, weights);
///
/// The cost is 2 r + 1 multiplications and additions per point.
///
/// @pre `from` and `to` do not overlap.
/// @throws Error  if the number of weights is even or too large for max_radius, or `from` or `to`
///   does not cover the accessed points
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights);

}  // namespace isotherm
