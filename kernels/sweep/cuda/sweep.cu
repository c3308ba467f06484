#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/copy_forwards.hpp"
#include "kernels/sweep/cuda/shaped/shaped.hpp"
#include "kernels/sweep/cuda/sweep.hpp"
#include "kernels/sweep/cuda/variant.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"

namespace isotherm::cuda {

namespace {

/// True if a rule has variants of several steps. For variable coefficients such a pass is limited
/// by instructions; it is faster only for smoothing with SmoothingConductances, in 3D.
template <class Rule>
constexpr bool has_temporal_variants =
    differs_between_points<Rule> ? Rule::dimension == 3 && !Rule::same_in_all_steps
                                 : Rule::dimension == 3 || Rule::same_in_all_steps;

/// Returns all variants of this build. They do not depend on the device.
template <class Rule>
std::vector<Variant<Rule>> const& variants() {
  // Built once per rule.
  static std::vector<Variant<Rule>> const all = [] {
    std::vector<Variant<Rule>> found = single_step_variants<Rule>();
    if constexpr (has_temporal_variants<Rule>) {
      for (Variant<Rule>& variant : temporal_variants<Rule>()) found.push_back(std::move(variant));
    }
    return found;
  }();
  return all;
}

/// Enqueues a pass by a plan with a block shape. Returns false if `plan` is none.
template <class Rule>
bool sweep_by_shape(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                    SweepPlan const& plan) {
  if constexpr (has_shaped_kernels<Rule>) {
    constexpr Precision precision = precision_of<typename Rule::Real>;
    auto const shaped = shaped_plan(Backend::cuda, Rule::dimension, precision, plan.name);
    if (!shaped) return false;
    if (pass.source || pass.change != nullptr) {
      variants<Rule>().front().launch(queue, rule, pass);  // the plain one
    } else {
      std::string const kernel = plan.name.substr(0, plan.name.find(' '));
      shaped_step(queue, rule, pass, kernel, *parse_block_shape(shaped->shape));
    }
    copy_forwards(queue, pass);
    return true;
  }
  return false;
}

}  // namespace

template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan) {
  for (Variant<Rule> const& variant : variants<Rule>()) {
    // A few variants only, so a linear search suffices.
    if (variant.name == plan.name) {
      require(variant.steps == plan.steps, "the sweep plan's steps are not those of its name");
      variant.launch(queue, rule, pass);
      // Behind the sweep on the same queue.
      if (!variant.forwards) copy_forwards(queue, pass);
      return;
    }
  }
  if (sweep_by_shape(queue, rule, pass, plan)) return;
  throw Error("the CUDA backend has no sweep plan \"" + plan.name + "\"");
}

template <class Rule>
std::vector<SweepPlan> plans(int device) {
  // Without a device, all plans are listed.
  bool const no_device = device_count() == 0;
  std::vector<SweepPlan> all;
  for (Variant<Rule> const& variant : variants<Rule>()) {
    if (!no_device && variant.runs_on != nullptr && !variant.runs_on(device)) continue;
    all.push_back({variant.name, variant.steps, variant.shape});
  }
  return all;
}

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void sweep(Queue&, Rule const&, Pass<typename Rule::Real> const&, SweepPlan const&); \
  template std::vector<SweepPlan> plans<Rule>(int);
ISOTHERM_FOR_EACH_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_SMOOTHING_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
