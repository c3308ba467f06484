#pragma once

#include <algorithm>
#include <span>

#include "kernels/filters/convolution.hpp"

namespace isotherm {

/// The weights of a convolution in the form that kernels need: rounded to the field's precision.
template <class Real>
struct Weights {
  int radius = 0;                   ///< r; there are 2 r + 1 weights
  Real values[2 * max_radius + 1];  // NOLINT(modernize-avoid-c-arrays): kernels index it

  /// @pre The number of weights is odd, and at most 2 · max_radius + 1.
  explicit Weights(std::span<double const> all) : radius(static_cast<int>(all.size() / 2)) {
    std::ranges::transform(all, static_cast<Real*>(values),
                           [](double weight) { return static_cast<Real>(weight); });
  }
};

/// Returns the distance in memory of neighbours along an axis, in elements.
template <class T>
constexpr std::int64_t stride_of(FieldView<T> const& field, int axis) {
  return axis == 0 ? 1 : axis == 1 ? field.stride_y : field.stride_z;
}

}  // namespace isotherm
