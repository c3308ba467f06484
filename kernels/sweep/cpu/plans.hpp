#pragma once

#include "kernels/core/error.hpp"
#include "kernels/sweep/cpu/copy_forwards.hpp"
#include "kernels/sweep/cpu/wavefront.hpp"

namespace isotherm::cpu {

/// What the CPU has for every rule; the plain plan first.
inline std::vector<SweepPlan> plans() {
  return {{"plain", 1}, {"wavefront-2", 2}, {"wavefront-4", 4}, {"wavefront-8", 8}};
}

/// @throws Error  if `plan` is not one of plans()
template <class Rule>
void sweep(Scratch& scratch, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan) {
  for (SweepPlan const& known : plans()) {
    if (known.name != plan.name) continue;
    require(known.steps == plan.steps, "the sweep plan's steps are not those of its name");
    plan.steps == 1 ? sweep_plain(scratch, rule, pass)
                    : sweep_wavefront(scratch, rule, pass, plan.steps);
    return copy_forwards(pass);
  }
  throw Error("the CPU backend has no sweep plan \"" + plan.name + "\"");
}

}  // namespace isotherm::cpu
