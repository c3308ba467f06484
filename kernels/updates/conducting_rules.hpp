#pragma once

#include "kernels/operators/axis_conductances.hpp"
#include "kernels/operators/conductances.hpp"
#include "kernels/operators/solved_conductances.hpp"
#include "kernels/updates/rules.hpp"

namespace isotherm {

/// An explicit (forward Euler) step in time with conductances: u ← u + Δt (Σ g (u(neighbours) − u)
/// + source) / (c V).
template <class Real>
struct Exchange {
  static constexpr bool same_in_all_steps = true;

  Real step;  ///< Δt

  /// Returns the new value of a point, without the source.
  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(step, here.inflow(at), at(0, 0, 0));
  }
  /// Adds the contribution of the source to a new value.
  template <class Operator>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& here, Real value,
                                                    Real source) const {
    return multiply_add(step, here.rate_of(source), value);
  }
  /// Returns the update itself: all steps are alike.
  [[nodiscard]] ISOTHERM_INLINE constexpr Exchange of_step(int /*n*/) const { return *this; }
};

/// True if a rule's coefficients vary from point to point, which requires evaluating the operator
/// at each.
template <class Rule>
constexpr bool differs_between_points = requires {
  requires Rule::differs_between_points;
};

/// The rules of the methods jacobi and ftcs for variable coefficients. The source is the heat that
/// enters a point's volume otherwise: V f, and the flux through a face of the grid.
template <class Real, int Dimension>
using ConductingJacobiRule = StencilRule<Relax, Conductances<Real, Dimension>>;
template <class Real, int Dimension>
using ConductingFtcsRule = StencilRule<Exchange<Real>, Conductances<Real, Dimension>>;

/// The same rules for separable coefficients.
template <class Real, int Dimension>
using AxisJacobiRule = StencilRule<Relax, AxisConductances<Real, Dimension>>;
template <class Real, int Dimension>
using AxisFtcsRule = StencilRule<Exchange<Real>, AxisConductances<Real, Dimension>>;

/// The smoother of multigrid for variable coefficients.
template <class Real, int Dimension>
using ConductingSmoothingRule =
    StencilRule<WeightedRelax<Real>, SolvedConductances<Real, Dimension>>;

template <class Real>
using ConductingJacobi2D = ConductingJacobiRule<Real, 2>;
template <class Real>
using ConductingJacobi3D = ConductingJacobiRule<Real, 3>;
template <class Real>
using ConductingFtcs2D = ConductingFtcsRule<Real, 2>;
template <class Real>
using ConductingFtcs3D = ConductingFtcsRule<Real, 3>;

template <class Real>
using AxisJacobi2D = AxisJacobiRule<Real, 2>;
template <class Real>
using AxisJacobi3D = AxisJacobiRule<Real, 3>;
template <class Real>
using AxisFtcs2D = AxisFtcsRule<Real, 2>;
template <class Real>
using AxisFtcs3D = AxisFtcsRule<Real, 3>;

template <class Real>
using ConductingSmoothing2D = ConductingSmoothingRule<Real, 2>;
template <class Real>
using ConductingSmoothing3D = ConductingSmoothingRule<Real, 3>;

}  // namespace isotherm

/// Expands `instantiate(Rule)` for every variable-coefficient rule of one precision.
#define ISOTHERM_FOR_EACH_CONDUCTING_RULE_OF(Real, instantiate)                 \
  instantiate(ConductingJacobi2D<Real>) instantiate(ConductingFtcs2D<Real>)     \
      instantiate(ConductingJacobi3D<Real>) instantiate(ConductingFtcs3D<Real>) \
          instantiate(AxisJacobi2D<Real>) instantiate(AxisFtcs2D<Real>)         \
              instantiate(AxisJacobi3D<Real>) instantiate(AxisFtcs3D<Real>)     \
                  instantiate(ConductingSmoothing2D<Real>)                      \
                      instantiate(ConductingSmoothing3D<Real>)

/// Expands `instantiate(Rule)` for every variable-coefficient rule.
#define ISOTHERM_FOR_EACH_CONDUCTING_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_CONDUCTING_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_CONDUCTING_RULE_OF(double, instantiate)
