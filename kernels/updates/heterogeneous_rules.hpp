#pragma once

#include "kernels/operators/conductances.hpp"
#include "kernels/operators/separable_conductances.hpp"
#include "kernels/operators/smoothing_conductances.hpp"
#include "kernels/updates/rules.hpp"

namespace isotherm {

/// An explicit (forward Euler) step in time with conductances: u ← u + Δt (Σ g (u(neighbours) − u)
/// + source) / (c V). A step is stable if Δt Σ g <= c V at every point.
template <class Real>
struct FiniteVolumeEuler {
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
  [[nodiscard]] ISOTHERM_INLINE constexpr FiniteVolumeEuler of_step(int /*n*/) const {
    return *this;
  }
};

/// True if a rule's coefficients vary from point to point, which requires evaluating the operator
/// at each.
template <class Rule>
constexpr bool differs_between_points = requires {
  requires Rule::differs_between_points;
};

/// The rules of the methods jacobi and ftcs for variable coefficients. The source is the heat that
/// enters a point's volume from elsewhere than its neighbours: V f, and the flux through a face of
/// the grid.
template <class Real, int Dimension>
using HeterogeneousJacobiRule = StencilRule<Relax, Conductances<Real, Dimension>>;
template <class Real, int Dimension>
using HeterogeneousFtcsRule = StencilRule<FiniteVolumeEuler<Real>, Conductances<Real, Dimension>>;

/// The same rules for separable coefficients.
template <class Real, int Dimension>
using SeparableJacobiRule = StencilRule<Relax, SeparableConductances<Real, Dimension>>;
template <class Real, int Dimension>
using SeparableFtcsRule =
    StencilRule<FiniteVolumeEuler<Real>, SeparableConductances<Real, Dimension>>;

/// The smoother of multigrid for variable coefficients.
template <class Real, int Dimension>
using HeterogeneousSmoothingRule =
    StencilRule<WeightedRelax<Real>, SmoothingConductances<Real, Dimension>>;

// The rules with their dimension, as instantiations name them.
template <class Real>
using HeterogeneousJacobi2D = HeterogeneousJacobiRule<Real, 2>;
template <class Real>
using HeterogeneousJacobi3D = HeterogeneousJacobiRule<Real, 3>;
template <class Real>
using HeterogeneousFtcs2D = HeterogeneousFtcsRule<Real, 2>;
template <class Real>
using HeterogeneousFtcs3D = HeterogeneousFtcsRule<Real, 3>;

template <class Real>
using SeparableJacobi2D = SeparableJacobiRule<Real, 2>;
template <class Real>
using SeparableJacobi3D = SeparableJacobiRule<Real, 3>;
template <class Real>
using SeparableFtcs2D = SeparableFtcsRule<Real, 2>;
template <class Real>
using SeparableFtcs3D = SeparableFtcsRule<Real, 3>;

template <class Real>
using HeterogeneousSmoothing2D = HeterogeneousSmoothingRule<Real, 2>;
template <class Real>
using HeterogeneousSmoothing3D = HeterogeneousSmoothingRule<Real, 3>;

}  // namespace isotherm

/// Expands `instantiate(Rule)` for every variable-coefficient rule of one precision.
#define ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE_OF(Real, instantiate)                    \
  instantiate(HeterogeneousJacobi2D<Real>) instantiate(HeterogeneousFtcs2D<Real>)     \
      instantiate(HeterogeneousJacobi3D<Real>) instantiate(HeterogeneousFtcs3D<Real>) \
          instantiate(SeparableJacobi2D<Real>) instantiate(SeparableFtcs2D<Real>)     \
              instantiate(SeparableJacobi3D<Real>) instantiate(SeparableFtcs3D<Real>) \
                  instantiate(HeterogeneousSmoothing2D<Real>)                         \
                      instantiate(HeterogeneousSmoothing3D<Real>)

/// Expands `instantiate(Rule)` for every variable-coefficient rule.
#define ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE_OF(double, instantiate)
