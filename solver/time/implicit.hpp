#pragma once

#include "solver/discretise/scheme.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns σ of the operator σ − ∇² in the linear system of an implicit time step: 1 / (D Δt) for
/// backward_euler, 2 / (D Δt) for crank_nicolson and its two initial half steps.
double sigma_of_step(Problem const& problem, MethodSettings const& method);

/// Returns the coefficients of an implicit step of u_t = D ∇²u + f, centred in space:
///
///   backward_euler   (1 − Δt D ∇²) u(t + Δt) = u(t) + Δt f(t + Δt)
///   crank_nicolson   (1 − Δt/2 D ∇²) u(t + Δt) = (1 + Δt/2 D ∇²) u(t) + Δt/2 (f(t) + f(t + Δt))
///
/// Boundary values are evaluated at the same times as f. The rows are divided by D and by the
/// diagonal: the weights are w_d = h_d^-2 / (2 Σ h^-2 + σ), the factor on the source is 1 / (D (2 Σ
/// h^-2 + σ)). Both methods are unconditionally stable and of second order in space; in time the
/// first is of first order, the second of second order.
///
/// backward_euler is L-stable. crank_nicolson is A-stable, but not L-stable: each step reverses the
/// sign of a wave whose eigenvalue of −D ∇² exceeds 2 / Δt (J. Crank and P. Nicolson, 1947).
/// If a coefficient depends on u, the coefficients are those of reference_problem().
/// @throws InputError    for another equation, a diffusivity that is not positive, or an axis of
///                       more than 2^31 points
/// @throws SettingError  if the time step is not positive, or beyond the range of float64
Scheme implicit_scheme(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
