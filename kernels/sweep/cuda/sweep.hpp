#pragma once

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// @throws Error  if `plan` is not one of plans<Rule>()
template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan);

/// What this build has for a rule; the plain plan first.
template <class Rule>
std::vector<SweepPlan> plans();

}  // namespace isotherm::cuda
