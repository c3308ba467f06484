#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

// The stages of RKL2, a stabilised Runge–Kutta method with Legendre polynomials: C. D. Meyer,
// D. S. Balsara and T. D. Aslam, A stabilized Runge–Kutta–Legendre method for explicit
// super-time-stepping of parabolic and mixed equations, J. Comput. Phys. 257 (2014), eqs. 16–17.
//
// The operators are those of the sweeps (kernels/operators/). With constant coefficients the
// weights are D τ / h², and a rate is the change in a whole step τ. With conductances a rate is
// that in a unit of time of the medium.

namespace isotherm {

/// The factors of a stage, in the precision of the field.
template <class Real>
struct LegendreFactors {
  Real latest = 0;  ///< μ, of Y_{j−1}
  Real older = 0;   ///< ν, of Y_{j−2}
  Real rate = 0;    ///< μ̃, of the rate of Y_{j−1}; in units of time with conductances
  Real first = 0;   ///< γ̃, of the rate of Y_0; likewise
};

/// The first stage: rate = M(u), start = u, and out = u + μ̃ M(u).
template <class Real>
struct FirstStage {
  FieldView<Real const> u;       ///< must exist one point beyond the region
  FieldView<Real const> source;  ///< or none
  FieldView<Real> start;
  FieldView<Real> rate;
  FieldView<Real> out;  ///< no field overlaps another one
  LocalBox region;      ///< points that are written
  LocalBox free;        ///< points that change; the rates of all others are 0
};

/// A later stage, which replaces Y_{j−2} by
///
///   Y_j = Y_0 + μ (Y_{j−1} − Y_0) + ν (Y_{j−2} − Y_0) + μ̃ M(Y_{j−1}) + γ̃ M(Y_0)
///
/// In this form a steady field keeps its bits.
template <class Real>
struct LaterStage {
  FieldView<Real const> latest;  ///< Y_{j−1}; must exist one point beyond the box
  FieldView<Real const> source;  ///< of Y_{j−1}, or none
  FieldView<Real const> start;   ///< Y_0
  FieldView<Real const> rate;    ///< M(Y_0)
  FieldView<Real> out;           ///< Y_{j−2}, then Y_j
  LocalBox box;                  ///< points that are written
};

/// Enqueues the first stage. @param factor  μ̃, see LegendreFactors::rate
/// @throws Error  if a field does not cover the points that the stage accesses
template <class Operator, class Real = typename Operator::Real>
void take_first_stage(Queue& queue, Operator const& op, Real factor, FirstStage<Real> const& stage);
/// Enqueues a later stage.
/// @throws Error  if a field does not cover the points that the stage accesses
template <class Operator, class Real = typename Operator::Real>
void take_later_stage(Queue& queue, Operator const& op, LegendreFactors<Real> const& factors,
                      LaterStage<Real> const& stage);

/// Do the same point by point, as devices do. The bits are equal.
template <class Operator, class Real = typename Operator::Real>
void first_stage_by_points(Queue& queue, Operator const& op, Real factor,
                           FirstStage<Real> const& stage);
template <class Operator, class Real = typename Operator::Real>
void later_stage_by_points(Queue& queue, Operator const& op, LegendreFactors<Real> const& factors,
                           LaterStage<Real> const& stage);

}  // namespace isotherm

/// Expands `instantiate(Operator)` for every operator of the stages.
#define ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR_OF(Real, instantiate)             \
  instantiate(ConstantWeights<Real, 2>) instantiate(ConstantWeights<Real, 3>) \
      instantiate(Conductances<Real, 2>) instantiate(Conductances<Real, 3>)   \
          instantiate(SeparableConductances<Real, 2>) instantiate(SeparableConductances<Real, 3>)
#define ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR(instantiate)     \
  ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR_OF(double, instantiate)
