#pragma once

#include <type_traits>

#include "kernels/operators/constant_weights.hpp"
#include "kernels/updates/updates.hpp"

namespace isotherm {

/// A rule, which a sweep applies to each point: an update with an operator.
///
/// rule.of_step(n).row(j, k).point(i)(at) returns the point's value after step n of a pass, without
/// the source. plus() adds the source's contribution.
///
/// If the operator has constant coefficients, row() and point() may be omitted. If all steps are
/// alike, of_step() may be omitted.
///
///   Jacobi2D<double> const rule{{}, {wx, wy, 0.0}};
///   double const value = rule([&](int di, int dj, int) { return u(i + di, j + dj, 0); });
template <class Update, class Operator>
struct StencilRule : Update, Operator {
  using Real = typename Operator::Real;

  /// Returns the rule on row (j, k).
  [[nodiscard]] ISOTHERM_INLINE constexpr auto row(std::int64_t j, std::int64_t k) const {
    return with(Operator::row(j, k));
  }
  /// Returns the rule at point i of a row.
  [[nodiscard]] ISOTHERM_INLINE constexpr auto point(std::int64_t i) const {
    return with(Operator::point(i));
  }
  /// Returns the rule of the nth step of a pass, from 0.
  [[nodiscard]] ISOTHERM_INLINE constexpr auto of_step(int n) const {
    auto const update = Update::of_step(n);
    return StencilRule<std::remove_const_t<decltype(update)>, Operator>{
        update, static_cast<Operator const&>(*this)};
  }
  /// Returns the new value of a point, without the source.
  template <class At>
  ISOTHERM_INLINE constexpr Real operator()(At const& at) const {
    return Update::operator()(static_cast<Operator const&>(*this), at);
  }
  /// Adds the contribution of the source to a new value.
  [[nodiscard]] ISOTHERM_INLINE constexpr Real plus(Real value, Real source) const {
    return Update::plus(static_cast<Operator const&>(*this), value, source);
  }

 private:
  /// Returns the same update with another operator, or with a part of one.
  template <class Part>
  [[nodiscard]] ISOTHERM_INLINE constexpr StencilRule<Update, Part> with(Part const& part) const {
    return {static_cast<Update const&>(*this), part};
  }
};

/// The rules of the methods jacobi and ftcs for constant coefficients.
template <class Real, int Dimension>
using JacobiRule = StencilRule<Relax, ConstantWeights<Real, Dimension>>;
template <class Real, int Dimension>
using FtcsRule = StencilRule<Euler<Real>, ConstantWeights<Real, Dimension>>;

/// The smoother of multigrid for constant coefficients.
template <class Real, int Dimension>
using SmoothingRule = StencilRule<WeightedRelax<Real>, ConstantWeights<Real, Dimension>>;

// The rules with their dimension, as instantiations name them.
template <class Real>
using Jacobi2D = JacobiRule<Real, 2>;
template <class Real>
using Jacobi3D = JacobiRule<Real, 3>;
template <class Real>
using Ftcs2D = FtcsRule<Real, 2>;
template <class Real>
using Ftcs3D = FtcsRule<Real, 3>;
template <class Real>
using Smoothing2D = SmoothingRule<Real, 2>;
template <class Real>
using Smoothing3D = SmoothingRule<Real, 3>;

}  // namespace isotherm

/// Expands `instantiate(Rule)` for every rule of one dimension and precision that sweeps are
/// compiled for.
#define ISOTHERM_FOR_EACH_RULE_IN_2D_OF(Real, instantiate) \
  instantiate(Jacobi2D<Real>) instantiate(Ftcs2D<Real>)
#define ISOTHERM_FOR_EACH_RULE_IN_3D_OF(Real, instantiate) \
  instantiate(Jacobi3D<Real>) instantiate(Ftcs3D<Real>)

/// Expands `instantiate(Rule)` for every two-dimensional rule.
#define ISOTHERM_FOR_EACH_RULE_IN_2D(instantiate)     \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(double, instantiate)

/// Expands `instantiate(Rule)` for every rule of one precision.
#define ISOTHERM_FOR_EACH_RULE_OF(Real, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(Real, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_3D_OF(Real, instantiate)

/// Expands `instantiate(Rule)` for every rule.
#define ISOTHERM_FOR_EACH_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_RULE_OF(double, instantiate)

/// Expands `instantiate(Rule)` for the smoothing rules of one precision, whose steps differ. Not
/// all plans support them.
#define ISOTHERM_FOR_EACH_SMOOTHING_RULE_OF(Real, instantiate) \
  instantiate(Smoothing2D<Real>) instantiate(Smoothing3D<Real>)

/// Expands `instantiate(Rule)` for every smoothing rule.
#define ISOTHERM_FOR_EACH_SMOOTHING_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_SMOOTHING_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_SMOOTHING_RULE_OF(double, instantiate)
