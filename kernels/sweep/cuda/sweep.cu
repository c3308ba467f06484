#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/copy_forwards.hpp"
#include "kernels/sweep/cuda/sweep.hpp"
#include "kernels/sweep/cuda/variant.hpp"
#include "kernels/updates/conducting_rules.hpp"

namespace isotherm::cuda {

namespace {

/// Whether there are some of several steps a pass: where conductances differ such a pass is bound
/// by instructions, and pays for relaxations that are solved for alone.
template <class Rule>
constexpr bool has_temporal_variants =
    differs_between_points<Rule> ? Rule::dimension == 3 && !Rule::same_in_all_steps
                                 : Rule::dimension == 3 || Rule::same_in_all_steps;

/// All that this build has, which is the same for all devices.
template <class Rule>
std::vector<Variant<Rule>> const& variants() {
  static std::vector<Variant<Rule>> const all = [] {
    std::vector<Variant<Rule>> found = single_step_variants<Rule>();
    if constexpr (has_temporal_variants<Rule>) {
      for (Variant<Rule>& variant : temporal_variants<Rule>()) found.push_back(std::move(variant));
    }
    return found;
  }();
  return all;
}

}  // namespace

template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan) {
  for (Variant<Rule> const& variant : variants<Rule>()) {
    if (variant.name == plan.name) {
      require(variant.steps == plan.steps, "the sweep plan's steps are not those of its name");
      variant.launch(queue, rule, pass);
      if (!variant.forwards) copy_forwards(queue, pass);
      return;
    }
  }
  throw Error("the CUDA backend has no sweep plan \"" + plan.name + "\"");
}

template <class Rule>
std::vector<SweepPlan> plans(int device) {
  bool const nobody_to_ask = device_count() == 0;
  std::vector<SweepPlan> all;
  for (Variant<Rule> const& variant : variants<Rule>()) {
    if (!nobody_to_ask && variant.runs_on != nullptr && !variant.runs_on(device)) continue;
    all.push_back({variant.name, variant.steps, variant.shape});
  }
  return all;
}

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void sweep(Queue&, Rule const&, Pass<typename Rule::Real> const&, SweepPlan const&); \
  template std::vector<SweepPlan> plans<Rule>(int);
ISOTHERM_FOR_EACH_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_SMOOTHING_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_CONDUCTING_RULE(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
