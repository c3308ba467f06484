#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/host_device.hpp"
#include "kernels/core/queue/queue.hpp"

// Exact solution of small systems by fast diagonalisation.
//
// The operator of a uniform grid is a sum over its axes. Its eigenvectors are therefore products of
// one-dimensional ones (a tensor product). A system A u = f is solved by transforming f to these
// modes, dividing by the eigenvalues, and transforming back:
//
//   u = V Λ⁻¹ V⁻¹ f,   V = V_x ⊗ V_y ⊗ V_z,   Λ = λ_x + λ_y + λ_z + shift
//
// Source: R. Lynch, J. Rice and D. Thomas, Direct solution of partial difference equations by
// tensor product methods, Numer. Math. 6 (1964).

namespace isotherm {

/// Rows of the matrices of AxisModes begin at multiples of this number of values, so CUDA can load
/// them as vectors.
constexpr int mode_group = 4;
/// Returns the number of values from one row of a matrix of `count` columns to the next.
constexpr int mode_pitch(int count) { return (count + mode_group - 1) / mode_group * mode_group; }

/// The eigenvectors (modes) of the one-dimensional operator along an axis of a box of unknowns. The
/// arrays lie in the queue's memory, aligned to mode_group values. For a single point the only mode
/// is 1.
template <class Real>
struct AxisModes {
  int count = 1;  ///< number of modes, which is that of the points along the axis
  Real const* eigenvalues = nullptr;  ///< `count`
  /// [point · pitch + mode]: the inverse matrix, from points to modes
  Real const* to_modes = nullptr;
  Real const* to_points = nullptr;  ///< [mode · pitch + point]: the mode's value there
};

/// The modes of all axes.
template <class Real>
struct Modes {
  AxisModes<Real> x;
  AxisModes<Real> y;
  AxisModes<Real> z;
  Real shift = 0;  ///< reaction term, added to every nonzero eigenvalue

  /// Returns the inverse of the eigenvalue of mode (i, j, k). For the constant mode it is 0, also
  /// if `shift` is not. That mode is the null space of the operator without a shift; the caller
  /// determines the mean.
  [[nodiscard]] ISOTHERM_INLINE Real inverse(int i, int j, int k) const {
    Real const sum = x.eigenvalues[i] + y.eigenvalues[j] + z.eigenvalues[k];
    return sum > Real{0} ? Real{1} / (sum + shift) : Real{0};
  }
};

/// Maximum number of points of such a box. Its values must fit the shared memory of one CUDA block
/// (40 KiB in float64).
constexpr std::int64_t max_mode_points = 5120;

/// Enqueues solving A to = from at the points of `box` for the operator A that has these modes. If
/// the constant is a mode, its component of the result is 0.
///
/// The cost is proportional to n (n_x + n_y + n_z) for n = n_x n_y n_z points.
/// @throws Error  if the box has more than max_mode_points points, or its extent differs from that
///   of the modes
template <class Real>
void solve_by_modes(Queue& queue, Modes<Real> const& modes, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm
