#include <algorithm>
#include <array>

#include "kernels/sweep.hpp"

namespace isotherm {

namespace {

/// A row says: on such a device, for such a field, this plan is the fastest that was measured
/// (docs/performance.md). Rows are tried in order; the first that fits is taken.
struct Row {
  Backend backend;
  int least_capability;  ///< compute capability, 90 for 9.0; 0 on the CPU
  int dimension;
  std::size_t element_bytes;  ///< 0: either precision
  std::int64_t least_points;  ///< owned by the rank
  char const* plan;
};

constexpr std::array<Row, 7> table = {{
    {Backend::cpu, 0, 2, 0, 0, "wavefront-8"},
    {Backend::cpu, 0, 2, 0, 0, "wavefront-4"},
    {Backend::cpu, 0, 2, 0, 0, "wavefront-2"},
    {Backend::cpu, 0, 3, 0, 0, "wavefront-4"},
    {Backend::cpu, 0, 3, 0, 0, "wavefront-2"},
    {Backend::cuda, 75, 2, 0, 0, "tile"},
    {Backend::cuda, 75, 3, 0, 0, "tile"},
}};

int capability_of(Backend backend, int device) {
  return backend == Backend::cuda ? device_info(backend, device).compute_capability : 0;
}

}  // namespace

SweepPlan choose_plan(Backend backend, int device, int dimension, std::size_t element_bytes,
                      Extent3 owned, int most_steps) {
  std::vector<SweepPlan> const plans = sweep_plans(backend, dimension, element_bytes);
  std::int64_t const points = owned.x * owned.y * owned.z;
  int const capability = capability_of(backend, device);
  for (Row const& row : table) {
    if (row.backend != backend || row.dimension != dimension || points < row.least_points ||
        capability < row.least_capability ||
        (row.element_bytes != 0 && row.element_bytes != element_bytes)) {
      continue;
    }
    auto const plan = std::find_if(plans.begin(), plans.end(),
                                   [&](SweepPlan const& known) { return known.name == row.plan; });
    if (plan != plans.end() && plan->steps <= most_steps) return *plan;
  }
  return plans.front();
}

}  // namespace isotherm
