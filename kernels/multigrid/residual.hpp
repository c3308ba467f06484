#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/sweep/reduce.hpp"

namespace isotherm {

/// Weights w_x, w_y, w_z of a point's neighbours on each axis, in the precision of the computation.
/// A weight of 0 means that nothing varies along the axis; its neighbours are not read.
template <class Real>
struct AxisWeights {
  Real x = 0;
  Real y = 0;
  Real z = 0;
};

/// Evaluation of the residual of (σ − ∇²) u = f at the points of a box:
///
///   r = (source − shift u) + Σ_d w_d ((u(−h_d) − u) + (u(+h_d) − u))
///
/// With
///
///   w_d = h_d^-2 / (2 Σ h^-2 + σ),  source = f / (2 Σ h^-2 + σ),  shift = σ / (2 Σ h^-2 + σ),
///
/// r equals (f + ∇²u − σ u) / (2 Σ h^-2 + σ). This is the residual scaled by the inverse diagonal,
/// the change of a Jacobi sweep.
///
/// Differences of neighbours are computed first. By Sterbenz' lemma they are exact if the two
/// values differ by at most a factor of two. Little of the residual is then lost to rounding.
///
/// If the residual is computed in float64 and the correction in float32, defect correction is the
/// iterative refinement of J. H. Wilkinson, Rounding Errors in Algebraic Processes (1963).
template <class From, class To>
struct ResidualPass {
  FieldView<From const> u;  ///< must exist one point beyond the box on axes with a nonzero weight
  FieldView<From const> source;  ///< or none
  FieldView<To> out;             ///< receives scale · r; none: only the norms are computed
  LocalBox box;
  double scale = 1.0;
  Change* change = nullptr;     ///< accumulates the norms of r, if set
  double shift = 0.0;           ///< 0: exactly as without it
  bool mass_term_only = false;  ///< variable coefficients only: leave out the flows between points
  /// Variable coefficients only: measure r / (Σ g + shift c V), the change of a Jacobi sweep,
  /// instead of r / (c V).
  bool norms_by_diagonal = false;
  /// Optional fused correction: u + correction_scale · correction replaces u. The sum is stored in
  /// `corrected` at the points of the box, which must not overlap u. `correction` must exist at the
  /// same points as u.
  FieldView<To const> correction{};
  double correction_scale = 1.0;
  FieldView<From> corrected{};
};

/// Returns the points of u that a residual reads: the box, and its neighbours on axes with a
/// nonzero weight.
template <class Real>
constexpr LocalBox read_by(LocalBox box, AxisWeights<Real> const& w) {
  auto const by = [](Real weight) { return std::int64_t{weight != Real{0} ? 1 : 0}; };
  return box.grown({by(w.x), by(w.y), by(w.z)});
}

/// Enqueues evaluating the residual, computed in the precision of `weights`.
///
///   evaluate_residual(queue, AxisWeights<double>{w, w, w},
///                     ResidualPass<double, float>{u, source, residual.view(), box});
///
/// @throws Error  if a field does not cover the points that the pass accesses
template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass);

/// Enqueues the correction step u(p) += scale · correction(p) at the points of `box`, computed in
/// the wider precision.
/// @throws Error  if a field does not cover the box
template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale);

}  // namespace isotherm
