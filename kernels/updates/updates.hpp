#pragma once

#include <array>

#include "kernels/core/arithmetic.hpp"

// An update defines the new value of a point, given the operator there and the values around it.
// plus(operator, value, source) adds the contribution of the source (Pass::source).
//
// of_step(n) returns the update of the nth step of a pass, from 0. If all steps are alike, it
// returns the update itself.

namespace isotherm {

/// Jacobi relaxation: u ← Σ w u(neighbours), the equation solved for the point's own value.
///
/// For −∇²u = f the weights are w_d = h_d^-2 / (2 Σ_e h_e^-2). They are dimensionless and sum to
/// 1/2. The sweep adds f / (2 Σ_e h_e^-2).
struct Relax {
  static constexpr bool same_in_all_steps = true;

  /// Returns the new value of a point, without the source.
  template <class Operator, class At>
  ISOTHERM_INLINE constexpr auto operator()(Operator const& here, At const& at) const {
    return here.neighbours(at);
  }
  /// Adds the contribution of the source to a new value.
  template <class Operator, class Real>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& here, Real value,
                                                    Real source) const {
    return value + here.share_of(source);
  }
  /// Returns the update itself: all steps are alike.
  [[nodiscard]] ISOTHERM_INLINE constexpr Relax of_step(int /*n*/) const { return *this; }
};

/// Explicit (forward Euler) step in time: u ← centre·u + Σ w u(neighbours).
///
/// For u_t = D ∇²u + f the weights are w_d = D Δt / h_d², and centre = 1 − 2 Σ_d w_d. The sweep
/// adds Δt f.
template <class Real>
struct Euler {
  static constexpr bool same_in_all_steps = true;

  /// Weight of the point's own value. The step is stable if it is not negative.
  Real centre;

  /// Returns the new value of a point, without the source.
  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(centre, at(0, 0, 0), here.neighbours(at));
  }
  /// Adds the contribution of the source to a new value.
  template <class Operator>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& /*here*/, Real value,
                                                    Real source) const {
    return value + source;
  }
  /// Returns the update itself: all steps are alike.
  [[nodiscard]] ISOTHERM_INLINE constexpr Euler of_step(int /*n*/) const { return *this; }
};

/// Weighted (damped) Jacobi relaxation: u ← (1 − ω) u + ω (Σ w u(neighbours) + source). ω > 1 is
/// over-relaxation.
template <class Real>
struct PartialRelax {
  Real kept;    ///< 1 − ω
  Real weight;  ///< ω

  /// Returns the new value of a point, without the source.
  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(weight, here.neighbours(at), kept * at(0, 0, 0));
  }
  /// Adds the contribution of the source to a new value.
  template <class Operator>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& here, Real value,
                                                    Real source) const {
    return multiply_add(weight, here.share_of(source), value);
  }
};

/// Weighted Jacobi relaxation with a factor of its own in each step of a pass (semi-iteration). If
/// the factors are the reciprocal roots of a polynomial, the steps multiply the error by that
/// polynomial of D⁻¹A, scaled to 1 at 0. With the roots of a Chebyshev polynomial this is the
/// semi-iteration of G. H. Golub and R. S. Varga, Numer. Math. 3 (1961).
template <class RealType>
struct WeightedRelax {
  static constexpr bool same_in_all_steps = false;
  /// Maximum number of steps of a pass.
  static constexpr int max_steps = 8;

  /// Relaxation factor of each step.
  std::array<RealType, max_steps> weights;

  /// Returns the update of the nth step, from 0.
  /// @pre n < max_steps
  [[nodiscard]] ISOTHERM_INLINE constexpr PartialRelax<RealType> of_step(int n) const {
    RealType const weight = weights[static_cast<std::size_t>(n)];
    return {RealType{1} - weight, weight};
  }
};

/// The steps of a WeightedRelax applied to the residual instead of the values.
///
/// A step adds its factor times the residual r = source − (u − Σ w u(neighbours)) to the values.
/// The remaining residual is r ← (1 − ω) r + ω Σ w r(neighbours), which contains no source. A pass
/// that sums up these changes therefore needs the source only once, for the initial residual. For u
/// = 0 that is the source itself.
template <class RealType, int Steps>
struct SummedRelax {
  static constexpr bool same_in_all_steps = false;
  static constexpr int step_count = Steps;

  /// Update of the residual in each step.
  std::array<PartialRelax<RealType>, Steps> steps;
  /// Weights in the sum: of the values before each step and, last, of the values after the last
  /// step.
  std::array<RealType, Steps + 1> counts;

  /// Returns the update of the nth step, from 0.
  [[nodiscard]] ISOTHERM_INLINE constexpr PartialRelax<RealType> of_step(int n) const {
    return steps[static_cast<std::size_t>(n)];
  }
};

/// True if a rule sums up its steps (SummedRelax).
template <class Rule>
constexpr bool sums_up = requires(Rule const& rule) {
  rule.counts;
};

}  // namespace isotherm
