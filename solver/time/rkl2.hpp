#pragma once

#include <vector>

#include "solver/discretise/scheme.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

// RKL2, an explicit time step of second order whose stages are chosen for stability: C. D. Meyer,
// D. S. Balsara and T. D. Aslam, A stabilized Runge–Kutta–Legendre method for explicit
// super-time-stepping of parabolic and mixed equations, J. Comput. Phys. 257 (2014). A step of s
// stages is stable up to (s² + s − 2) / 4 stable steps of FTCS (eq. 20).

namespace isotherm {

/// The longest step, in stable steps of FTCS. Rounding errors of a step grow in proportion to that
/// number. It is a power of two, so the stable step follows from the longest one without rounding.
constexpr double max_rkl2_span = 2048.0;
/// The maximum number of stages that a case may ask for: the largest odd one that is stable for no
/// more than the longest step.
constexpr int max_rkl2_stages = 89;

/// The coefficients of a stage, which makes Y_j (eqs. 16 and 17).
struct LegendreStage {
  double latest = 0.0;  ///< μ_j, of Y_{j−1}
  double older = 0.0;   ///< ν_j, of Y_{j−2}
  double rate = 0.0;    ///< μ̃_j, of τ M(Y_{j−1})
  double first = 0.0;   ///< γ̃_j, of τ M(Y_0)
  double end = 0.0;     ///< Y_j approximates the solution after this part of the step
};

/// Returns the stages of a step. @param stages  their number, at least 3
std::vector<LegendreStage> rkl2_stages(int stages);

/// Returns the longest stable step in stable steps of FTCS: (s² + s − 2) / 4.
double rkl2_span(int stages);

/// Returns the number of stages of a step: the smallest odd number, at least 3, with which it is
/// stable. Odd numbers damp the shortest waves better.
/// @param stable_step_s  the largest stable step of FTCS
/// @throws SettingError  about time_step, if it is longer than the longest step
int rkl2_stage_count(double time_step_s, double stable_step_s);

/// Returns the coefficients of a step of the settings' length: weights D τ / h² and the factor τ of
/// the source. Those of a heterogeneous medium are in its operator, and the residual's factor
/// converts from its unit of time.
/// @throws InputError    for another equation, or a diffusivity that is not positive
/// @throws SettingError  if the step is not positive, or longer than the longest one
Scheme rkl2_scheme(Problem const& problem, MethodSettings const& method);

/// Returns the largest stable step of FTCS. It follows from the settings' longest step if they have
/// one; otherwise it is computed.
double stable_step(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
