#pragma once

#include "decomposition/grid/subdomain.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/level/pass_plans.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// All that is decided about a run before it takes memory; made once, by plan_solver(), and what
/// was checked then is not checked again.
struct SolverPlan {
  Scheme scheme;
  Subdomain subdomain;
  PassPlans passes;
  Execution execution;
};

}  // namespace isotherm
