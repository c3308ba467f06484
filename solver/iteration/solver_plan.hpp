#pragma once

#include "decomposition/grid/subdomain.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/level/pass_plans.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// All decisions about a run that precede its allocations. plan_solver() makes it once, and checks
/// everything in it; later stages do not check again.
struct SolverPlan {
  /// The coefficients of the first step length.
  Scheme scheme;
  /// This rank's part of the grid.
  Subdomain subdomain;
  /// Which kernel variant runs which number of steps.
  PassPlans passes;
  Execution execution;
};

}  // namespace isotherm
