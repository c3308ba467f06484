#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/sweep/reduce.hpp"

namespace isotherm {

/// How much each neighbour of a point counts, w_x, w_y, w_z, in the precision that is computed in;
/// 0 on axes along which nothing varies, whose neighbours are then not looked at.
template <class Real>
struct AxisWeights {
  Real x = 0;
  Real y = 0;
  Real z = 0;
};

/// What a field lacks of solving its equation, at the points of a box:
///
///   r = (source − shift u) + Σ_d w_d ((u(−h_d) − u) + (u(+h_d) − u))
///
/// With w_d = h_d^-2 / (2 Σ h^-2 + σ), source = f / (2 Σ h^-2 + σ) and shift = σ / (2 Σ h^-2 + σ)
/// it is (f + ∇·∇u − σ u) / (2 Σ h^-2 + σ), by which a Jacobi sweep would change the point.
/// Differences of neighbours are taken first: where u is smooth they are exact, and little is lost
/// of what is left.
template <class From, class To>
struct ResidualPass {
  FieldView<From const> u;       ///< must exist one point beyond the box on axes with a weight
  FieldView<From const> source;  ///< or none
  FieldView<To> out;             ///< scale · r; or none, to measure only
  LocalBox box;
  double scale = 1.0;
  Change* change = nullptr;  ///< where to accumulate the norms of r, or nowhere
  double shift = 0.0;        ///< 0: exactly as without it
  bool at_rest = false;      ///< of conductances: without what flows between points
  /// Of conductances: the norms are those of r / (Σ g + shift c V), by which a Jacobi sweep would
  /// change the point, and not those of r / (c V).
  bool norms_by_diagonal = false;
  /// Or none: then u + correction_scale · correction takes the place of u, and is left in
  /// `corrected` at the points of the box; that must not overlap u. Exists where u has to.
  FieldView<To const> correction{};
  double correction_scale = 1.0;
  FieldView<From> corrected{};
};

/// The points of `box` and their neighbours on axes with a weight: what a residual reads of u.
template <class Real>
constexpr LocalBox read_by(LocalBox box, AxisWeights<Real> const& w) {
  auto const by = [](Real weight) { return std::int64_t{weight != Real{0} ? 1 : 0}; };
  return box.grown({by(w.x), by(w.y), by(w.z)});
}

/// Enqueues evaluating the residual, computed in the precision of `weights`.
/// @throws Error  where a field does not cover what the pass touches
template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass);

/// Enqueues u(p) += scale · correction(p) at the points of `box`, computed in the wider precision.
template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale);

}  // namespace isotherm
