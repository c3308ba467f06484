#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Maximum radius of a convolution along an axis. The limit is due to the weights, which are part
/// of the kernel's parameters on CUDA.
constexpr int max_radius = 127;

/// Returns the names of the backend's plans, the plainest first. A plan is a kernel variant; it
/// never changes the result, bit for bit.
std::vector<std::string> convolution_plans(Backend backend);
/// Returns the name of the backend's default plan.
std::string default_convolution_plan(Backend backend);

/// Enqueues a convolution along an axis: to(p) = Σ weights[m + r] · from(p + m e), m = −r … r, for
/// the points p of `box`. e is a unit step along `axis`, and 2 r + 1 is the number of weights.
///
/// The sum is computed in the field's precision in the order of the weights. It has the same bits
/// on every backend and with every plan.
///
///   std::vector<double> const weights = gaussian_weights(1.5);
///   convolve<float>(queue, from, to, box, 0, weights);
///
/// The cost is 2 r + 1 multiplications and additions per point.
///
/// @pre `from` and `to` do not overlap.
/// @param plan  one of convolution_plans(); empty: the default one
/// @throws Error  if the number of weights is even or too large for max_radius, `from` or `to`
///   does not cover the accessed points, or the backend does not have the plan
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights, std::string const& plan = "");

}  // namespace isotherm
