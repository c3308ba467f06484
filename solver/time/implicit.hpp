#pragma once

#include "solver/discretise/scheme.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// σ of the operator σ − ∇·∇ that each step of an implicit method solves with: 1 / (D Δt) of
/// backward_euler, 2 / (D Δt) of crank_nicolson and of the half steps that it begins with.
double sigma_of_step(Problem const& problem, MethodSettings const& method);

/// u_t = D ∇·∇u + f, implicit in time and centred in space:
///
///   backward_euler   (1 − Δt D ∇·∇) u(t + Δt) = u(t) + Δt f(t + Δt)
///   crank_nicolson   (1 − Δt/2 D ∇·∇) u(t + Δt) = (1 + Δt/2 D ∇·∇) u(t) + Δt/2 (f(t) + f(t + Δt))
///
/// with the values of the faces at the same times as f. Divided by D and by the diagonal: weights
/// w_d = h_d^-2 / (2 Σ h^-2 + σ), the source's factor 1 / (D (2 Σ h^-2 + σ)). Of first and of
/// second order in time, of second in space, and stable with any Δt.
/// @throws InputError  for another equation, or an axis of more than 2^31 points; SettingError for
///                     a time step that is not positive, or too small or large to be computed with
Scheme implicit_scheme(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
