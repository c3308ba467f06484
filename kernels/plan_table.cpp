#include "kernels/plan_table.hpp"

#include <algorithm>

#include "kernels/resident.hpp"

namespace isotherm {

namespace {

PlanRow cpu_row(int dimension, char const* plan) {
  PlanRow row;
  row.dimension = dimension;
  row.plan = plan;
  return row;
}

PlanRow cuda_row(int least_capability, int dimension, char const* plan) {
  PlanRow row = cpu_row(dimension, plan);
  row.backend = Backend::cuda;
  row.least_capability = least_capability;
  return row;
}

PlanTable const& built_in_table() {
  static PlanTable const table = {
      cpu_row(2, "wavefront-8"), cpu_row(2, "wavefront-4"), cpu_row(2, "wavefront-2"),
      cpu_row(3, "wavefront-4"), cpu_row(3, "wavefront-2"), cuda_row(75, 2, "tile"),
      cuda_row(75, 3, "tile"),
  };
  return table;
}

bool is_or_any(std::optional<bool> wanted, bool is) { return !wanted || *wanted == is; }

bool fits(PlanRow const& row, SweepSubject const& subject, DeviceInfo const& device) {
  Extent3 const n = subject.extent;
  std::int64_t const shortest = subject.dimension == 3 ? std::min({n.x, n.y, n.z})  //
                                                       : std::min(n.x, n.y);
  return row.backend == subject.backend && row.dimension == subject.dimension &&
         (row.device.empty() || row.device == device.name) &&
         (subject.backend == Backend::cpu || device.compute_capability >= row.least_capability) &&
         (row.element_bytes == 0 || row.element_bytes == subject.element_bytes) &&
         is_or_any(row.fixed, subject.fixed) && is_or_any(row.source, subject.source) &&
         n.x * n.y * n.z >= row.least_points && shortest >= row.least_extent;
}

}  // namespace

std::vector<SweepPlan> usable_plans(SweepSubject const& subject) {
  auto plans = sweep_plans(subject.backend, subject.dimension, subject.element_bytes);
  if (subject.resident) plans.push_back({resident_plan, 1});
  return plans;
}

std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       int most_steps) {
  std::vector<SweepPlan> const plans = usable_plans(subject);
  DeviceInfo const device = device_info(subject.backend, subject.device);
  for (PlanRow const& row : table) {
    if (!fits(row, subject, device)) continue;
    auto const plan = std::ranges::find(plans, row.plan, &SweepPlan::name);
    if (plan != plans.end() && plan->steps <= most_steps) return *plan;
  }
  return std::nullopt;
}

SweepPlan choose_plan(PlanTable const& preferred, SweepSubject const& subject, int most_steps) {
  for (PlanTable const* const table : {&preferred, &built_in_table()}) {
    if (auto const plan = plan_of_table(*table, subject, most_steps)) return *plan;
  }
  return usable_plans(subject).front();
}

}  // namespace isotherm
