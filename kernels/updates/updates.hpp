#pragma once

#include <array>

#include "kernels/core/arithmetic.hpp"

// An update says what a sweep makes of a point, given the operator there and the values around it,
// and how the source's share (Pass::source) is added to that: plus(operator, value, source). Where
// the steps of a pass differ, of_step(n) is the update of its nth step, from 0; elsewhere the
// update itself.

namespace isotherm {

/// u ← Σ w u(neighbours): with the weights of an equation that was solved for the point's own
/// value, a relaxation. For −∇·∇u = f they are w_d = h_d^-2 / (2 Σ_e h_e^-2), dimensionless, and
/// sum to 1/2; the sweep adds f / (2 Σ_e h_e^-2).
struct Relax {
  static constexpr bool same_in_all_steps = true;

  template <class Operator, class At>
  ISOTHERM_INLINE constexpr auto operator()(Operator const& here, At const& at) const {
    return here.neighbours(at);
  }
  template <class Operator, class Real>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& here, Real value,
                                                    Real source) const {
    return value + here.share_of(source);
  }
  [[nodiscard]] ISOTHERM_INLINE constexpr Relax of_step(int /*n*/) const { return *this; }
};

/// u ← centre·u + Σ w u(neighbours): a step forward in time. For u_t = D ∇·∇u + f the weights are
/// w_d = D Δt / h_d² and centre = 1 − 2 Σ_d w_d; the sweep adds Δt f.
template <class Real>
struct Euler {
  static constexpr bool same_in_all_steps = true;

  Real centre;

  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(centre, at(0, 0, 0), here.neighbours(at));
  }
  template <class Operator>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& /*here*/, Real value,
                                                    Real source) const {
    return value + source;
  }
  [[nodiscard]] ISOTHERM_INLINE constexpr Euler of_step(int /*n*/) const { return *this; }
};

/// u ← (1 − ω) u + ω (Σ w u(neighbours) + source): a relaxation that goes part of the way to what
/// Relax makes of the point, or past it.
template <class Real>
struct PartialRelax {
  Real kept;    ///< 1 − ω
  Real weight;  ///< ω

  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(weight, here.neighbours(at), kept * at(0, 0, 0));
  }
  template <class Operator>
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Operator const& here, Real value,
                                                    Real source) const {
    return multiply_add(weight, here.share_of(source), value);
  }
};

/// A PartialRelax with a weight of its own in each step of a pass. With the reciprocal roots of a
/// polynomial as weights, the steps multiply the error by that polynomial of D⁻¹A.
template <class RealType>
struct WeightedRelax {
  static constexpr bool same_in_all_steps = false;
  static constexpr int most_steps = 8;

  std::array<RealType, most_steps> weights;

  [[nodiscard]] ISOTHERM_INLINE constexpr PartialRelax<RealType> of_step(int n) const {
    RealType const weight = weights[static_cast<std::size_t>(n)];
    return {RealType{1} - weight, weight};
  }
};

/// The steps of a WeightedRelax, taken with the residual instead of the values: what a step adds to
/// the values is its weight times the residual r = source − (u − Σ w u(neighbours)), and of that it
/// leaves r ← (1 − ω) r + ω Σ w r(neighbours), in which no source occurs. So a pass that sums up as
/// it goes needs the source once, where r begins; with u = 0 it is r itself.
template <class RealType, int Steps>
struct SummedRelax {
  static constexpr bool same_in_all_steps = false;
  static constexpr int step_count = Steps;

  std::array<PartialRelax<RealType>, Steps> steps;
  /// What the values before each step, and after the last, count in the sum.
  std::array<RealType, Steps + 1> counts;

  [[nodiscard]] ISOTHERM_INLINE constexpr PartialRelax<RealType> of_step(int n) const {
    return steps[static_cast<std::size_t>(n)];
  }
};

/// Whether a rule's steps are to be summed up.
template <class Rule>
constexpr bool sums_up = requires(Rule const& rule) {
  rule.counts;
};

}  // namespace isotherm
