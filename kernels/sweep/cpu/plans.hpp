#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/sweep/cpu/copy_forwards.hpp"
#include "kernels/sweep/cpu/wavefront.hpp"

namespace isotherm::cpu {

/// A plan and the function that sweeps by it.
///
/// `sweep` performs `steps` steps on pass.region. It does not copy Pass::forwards.
template <class Rule>
struct Variant {
  char const* name;
  int steps;
  void (*sweep)(Scratch&, Rule const&, Pass<typename Rule::Real> const&, int steps);
};

/// All plans of the CPU backend, which support every rule; the plain plan first.
template <class Rule>
constexpr std::array<Variant<Rule>, 4> variants{{
    {"plain", 1,
     [](Scratch& scratch, Rule const& rule, auto const& pass, int) {
       sweep_plain(scratch, rule, pass);
     }},
    {"wavefront-2", 2, sweep_wavefront<Rule>},
    {"wavefront-4", 4, sweep_wavefront<Rule>},
    {"wavefront-8", 8, sweep_wavefront<Rule>},
}};

/// Returns the list of the CPU backend's plans.
template <class Rule>
std::vector<SweepPlan> plans() {
  std::vector<SweepPlan> plans;
  for (Variant<Rule> const& variant : variants<Rule>)
    plans.push_back({variant.name, variant.steps});
  return plans;
}

/// Performs a pass by the given plan.
/// @throws Error  if `plan` is not one of plans()
template <class Rule>
void sweep(Scratch& scratch, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan) {
  for (Variant<Rule> const& known : variants<Rule>) {
    if (known.name != plan.name) continue;
    require(known.steps == plan.steps, "the sweep plan's steps are not those of its name");
    known.sweep(scratch, rule, pass, known.steps);
    return copy_forwards(pass);
  }
  throw Error("the CPU backend has no sweep plan \"" + plan.name + "\"");
}

}  // namespace isotherm::cpu
