#pragma once

#include "kernels/updates/conducting_rules.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The largest Δt with which FTCS is stable. Of a body it takes a look at every point.
/// @throws ValueRefusal  where its conductivity or its capacity is not positive
double largest_stable_time_step(Problem const& problem);

/// For whoever makes settings: `time_step_s`, or the largest stable time step where it exceeds that
/// by rounding alone, and so is meant to be it. @throws SettingError  where it is not positive, or
/// not stable: names the largest that is
double checked_time_step(double time_step_s, double largest);

/// u_t = D ∇·∇u + f, forward in time and centred in space: weights w_d = D Δt / h_d², centre
/// 1 − 2 Σ w, source's factor Δt. First order in time, second in space. Δt is the settings', to the
/// bit, also where it exceeds the largest stable one by rounding.
/// @throws InputError  for another equation, or a time step that is not stable: names the largest
///                     that is
Scheme ftcs_scheme(Problem const& problem, MethodSettings const& method);

/// The update of a problem with a body.
template <class Real>
Exchange<Real> exchange(Problem const& problem, double time_step_s) {
  return {static_cast<Real>(time_step_s / body_units(problem).time())};
}

/// The rule in one precision. The centre is made from the rounded weights, so that the weights sum
/// to one as nearly as the precision allows and a constant field hardly drifts.
template <class Real, int Dimension>
FtcsRule<Real, Dimension> ftcs_rule(Scheme const& scheme) {
  auto const wx = static_cast<Real>(scheme.weight[0]);
  auto const wy = static_cast<Real>(scheme.weight[1]);
  auto const wz = static_cast<Real>(scheme.weight[2]);
  double const sum = static_cast<double>(wx) + static_cast<double>(wy) + static_cast<double>(wz);
  return {{static_cast<Real>(1.0 - 2.0 * sum)}, {wx, wy, wz}};
}

}  // namespace isotherm
