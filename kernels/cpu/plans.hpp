#pragma once

#include "kernels/cpu/wavefront.hpp"
#include "kernels/error.hpp"

namespace isotherm::cpu {

/// What the CPU has for every rule; the plain plan first.
inline std::vector<SweepPlan> plans() {
  return {{"plain", 1}, {"wavefront-2", 2}, {"wavefront-4", 4}, {"wavefront-8", 8}};
}

/// @throws Error  if `plan` is not one of plans()
template <class Rule>
void sweep(Rule const& rule, Pass<typename Rule::Real> const& pass, SweepPlan const& plan) {
  for (SweepPlan const& known : plans()) {
    if (known.name != plan.name) continue;
    require(known.steps == plan.steps, "the sweep plan's steps are not those of its name");
    return plan.steps == 1 ? sweep_plain(rule, pass) : sweep_wavefront(rule, pass, plan.steps);
  }
  throw Error("the CPU backend has no sweep plan \"" + plan.name + "\"");
}

}  // namespace isotherm::cpu
