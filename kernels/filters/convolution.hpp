#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Points that a convolution along an axis may reach to each side: its weights travel with the
/// kernel's parameters.
constexpr int most_radius = 127;

/// How a convolution walks through memory, by name; a plan never changes the result, bit for bit.
/// All that the backend has, the plainest first.
std::vector<std::string> convolution_plans(Backend backend);
/// The one that is taken where none is asked for.
std::string default_convolution_plan(Backend backend);

/// Enqueues to(p) = Σ weights[m + r] · from(p + m e), m = −r … r, for the points p of `box`, e
/// being a step along `axis` and 2 r + 1 the number of weights. `from` has the points that this
/// reaches. The sum is taken in the field's precision, in the order of the weights, and is
/// bit-equal on every backend and with every plan.
/// @param plan    of convolution_plans(); empty: the default one
/// @throws Error  where the number of weights is even or larger than most_radius allows, or the
///                backend does not have the plan
template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights, std::string const& plan = "");

}  // namespace isotherm
