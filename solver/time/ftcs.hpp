#pragma once

#include <string>

#include "kernels/updates/heterogeneous_rules.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

// The explicit time step FTCS (forward in time, centred in space) for u_t = D ∇²u + f. A step
// costs one sweep. The stable step is proportional to h², so a grid of half the spacing needs four
// times as many steps.

namespace isotherm {

/// Checks the equation and the diffusivity of an explicit method.
/// @throws InputError  for another equation, or a diffusivity that is not positive
void check_explicit(Problem const& problem, std::string const& method);

/// Returns the largest time step with which FTCS is stable: Δt = 1 / (2 D Σ h^-2) for constant
/// coefficients. A heterogeneous medium is evaluated at every point, on the threads of the CPU.
/// @throws ValueRefusal  if a conductivity or a volumetric heat capacity is not positive
double largest_stable_time_step(Problem const& problem);

/// Returns a time step for settings: `time_step_s`, or `largest` if the step exceeds it by rounding
/// errors alone.
/// @param largest  the largest stable time step
/// @throws SettingError  if the step is not positive, or unstable; names the largest stable step
double checked_time_step(double time_step_s, double largest);

/// Returns the coefficients of an FTCS step: weights w_d = D Δt / h_d², centre 1 − 2 Σ w, factor Δt
/// on the source. The method is of first order in time and of second order in space. Δt is that of
/// the settings, bit for bit, even if it exceeds the largest stable step by rounding errors.
/// @throws InputError    for another equation, or a diffusivity that is not positive
/// @throws SettingError  if the time step is unstable; names the largest stable step
Scheme ftcs_scheme(Problem const& problem, MethodSettings const& method);

/// Returns the update of an FTCS step in a heterogeneous medium, with Δt in units of
/// medium_units().
template <class Real>
FiniteVolumeEuler<Real> finite_volume_euler(Problem const& problem, double time_step_s) {
  return {static_cast<Real>(time_step_s / medium_units(problem).time())};
}

/// Returns the rule of an FTCS step for constant coefficients in one precision. The centre is
/// computed from the rounded weights: the weights then sum to one as closely as the precision
/// allows, so a constant field drifts by rounding only.
template <class Real, int Dimension>
FtcsRule<Real, Dimension> ftcs_rule(Scheme const& scheme) {
  auto const wx = static_cast<Real>(scheme.weight[0]);
  auto const wy = static_cast<Real>(scheme.weight[1]);
  auto const wz = static_cast<Real>(scheme.weight[2]);
  double const sum = static_cast<double>(wx) + static_cast<double>(wy) + static_cast<double>(wz);
  return {{static_cast<Real>(1.0 - 2.0 * sum)}, {wx, wy, wz}};
}

}  // namespace isotherm
