#pragma once

#include <variant>
#include <vector>

#include "kernels/transforms/dense/dense_transform.hpp"
#include "kernels/transforms/fft/fft_transform.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_solve.hpp"

namespace isotherm {

/// The transform of an axis, of any kind, or the tridiagonal systems along it. All kinds have the
/// same member functions, except that tridiagonal systems have no modes.
template <class Real>
using AxisTransform =
    std::variant<DenseTransform<Real>, FftTransform<Real>, TridiagonalSolve<Real>>;

/// An axis of a separable problem: its transform, and a factor of its eigenvalues.
///
/// The factor is the weight of each neighbour if the eigenvalues are those of closed_form_modes().
template <class Real>
struct SeparableAxis {
  AxisTransform<Real> transform;
  double weight = 1.0;

  /// Returns the number of unknown points, which is that of the modes.
  [[nodiscard]] int count() const {
    return std::visit([](auto const& kind) { return kind.count(); }, transform);
  }
  /// Returns the eigenvalues with the factor, in the order in which modes are stored.
  [[nodiscard]] std::vector<double> eigenvalues() const {
    auto values = std::visit([](auto const& kind) { return kind.eigenvalues(); }, transform);
    for (double& value : values) value *= weight;
    return values;
  }
  /// Returns true if the transform may write to the field that it reads.
  [[nodiscard]] bool works_in_place() const {
    return std::visit([](auto const& kind) { return kind.works_in_place(); }, transform);
  }
  /// Returns the name of the kind of transform.
  [[nodiscard]] char const* name() const {
    return std::visit([](auto const& kind) { return kind.name(); }, transform);
  }
  /// Returns true if the axis has tridiagonal systems instead of modes.
  [[nodiscard]] bool is_tridiagonal() const {
    return std::holds_alternative<TridiagonalSolve<Real>>(transform);
  }
};

}  // namespace isotherm
