#include <algorithm>

#include "kernels/sweep.hpp"

namespace isotherm {

SweepPlan choose_plan(Backend backend, int /*device*/, int dimension, std::size_t element_bytes,
                      Extent3 /*owned*/, int most_steps) {
  std::vector<SweepPlan> plans = sweep_plans(backend, dimension, element_bytes);
  std::erase_if(plans, [&](SweepPlan const& plan) { return plan.steps > most_steps; });
  return plans.size() > 1 ? plans[1] : plans.front();
}

}  // namespace isotherm
