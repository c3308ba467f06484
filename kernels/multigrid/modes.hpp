#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/host_device.hpp"
#include "kernels/core/queue.hpp"

// The operator of a uniform grid is a sum over its axes, so its eigenvectors are products of one
// for each axis, and a small system is solved exactly by changing to them and back (R. Lynch,
// J. Rice and D. Thomas, Direct solution of partial difference equations by tensor product methods,
// 1964).

namespace isotherm {

/// The rows of the matrices of AxisModes begin at multiples of so many values.
constexpr int mode_group = 4;
constexpr int mode_pitch(int count) { return (count + mode_group - 1) / mode_group * mode_group; }

/// The eigenvectors (modes) of the operator along one axis of a box of unknowns, in the queue's
/// memory, each array aligned to mode_group values. Of a single point it is 1.
template <class Real>
struct AxisModes {
  int count = 1;                      ///< of the modes, and of the points along the axis
  Real const* eigenvalues = nullptr;  ///< `count`
  Real const* to_modes = nullptr;   ///< [point · pitch + mode]: how much a point counts in a mode
  Real const* to_points = nullptr;  ///< [mode · pitch + point]: the mode's value there
};

template <class Real>
struct Modes {
  AxisModes<Real> x;
  AxisModes<Real> y;
  AxisModes<Real> z;
  Real shift = 0;

  /// The inverse of a product of modes' eigenvalue; 0 of the constant, which nothing is told about.
  [[nodiscard]] ISOTHERM_INLINE Real inverse(int i, int j, int k) const {
    Real const sum = x.eigenvalues[i] + y.eigenvalues[j] + z.eigenvalues[k];
    return sum > Real{0} ? Real{1} / (sum + shift) : Real{0};
  }
};

/// The most points of a box that is solved so.
constexpr std::int64_t most_mode_points = 5120;

/// Enqueues finding `to` with A to = from at the points of `box`, where A has these modes.
/// @throws Error  where the box has more than most_mode_points, or another extent than the modes
template <class Real>
void solve_by_modes(Queue& queue, Modes<Real> const& modes, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm
