#include "kernels/sweep/plan_table.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/shaped_plans.hpp"

namespace isotherm {

namespace {

/// Matches both precisions.
constexpr std::optional<Precision> any_precision;

/// Returns a row of the CPU table.
PlanRow cpu_row(int dimension, char const* plan) {
  PlanRow row;
  row.dimension = dimension;
  row.plan = plan;
  return row;
}

/// Returns a row for CUDA devices of at least the given compute capability.
PlanRow cuda_row(int min_capability, int dimension, std::optional<Precision> precision,
                 char const* plan) {
  PlanRow row = cpu_row(dimension, plan);
  row.backend = Backend::cuda;
  row.min_capability = min_capability;
  row.precision = precision;
  return row;
}

/// Restricts a row to ranks with at least this many points.
PlanRow from_points(std::int64_t min_points, PlanRow row) {
  row.min_points = min_points;
  return row;
}

/// Restricts a row to grids with (or without) Dirichlet values on all faces.
PlanRow with_fixed(bool fixed, PlanRow row) {
  row.fixed = fixed;
  return row;
}

/// Restricts a row to equations with (or without) a source term.
PlanRow with_source(bool source, PlanRow row) {
  row.source = source;
  return row;
}

/// Restricts a row to variable coefficients.
PlanRow of_conductances(PlanRow row) {
  row.heterogeneous = true;
  return row;
}

/// Returns the built-in table.
///
/// The first matching row decides. For each case, the plan for whole passes therefore comes first,
/// followed by plans with fewer steps for the rest of an interval. Measured on an H200
/// (docs/explanation/performance.md). Later devices are assumed to behave like it; on older ones a
/// single step per pass is assumed to be the fastest.
PlanTable make_built_in_table() {
  constexpr Precision f32 = Precision::float32;
  constexpr Precision f64 = Precision::float64;
  auto const square = [](std::int64_t n) { return n * n; };
  return {
      cpu_row(2, "wavefront-8"),
      cpu_row(2, "wavefront-4"),
      cpu_row(2, "wavefront-2"),
      cpu_row(3, "wavefront-4"),
      cpu_row(3, "wavefront-2"),

      cuda_row(90, 2, any_precision, resident_plan),

      with_source(true, cuda_row(90, 2, f32, "temporal-2d t12 w384")),
      from_points(square(6144), cuda_row(90, 2, f32, "temporal-2d t20 w384")),
      from_points(square(4096), with_fixed(false, cuda_row(90, 2, f32, "temporal-2d t20 w384"))),
      from_points(square(2048), cuda_row(90, 2, f32, "temporal-2d t16 w384")),
      with_source(true, cuda_row(90, 2, f32, "temporal-2d t8 w128")),
      from_points(square(3072), cuda_row(90, 2, f32, "temporal-2d t8 w384")),
      with_fixed(true, cuda_row(90, 2, f32, "temporal-2d t8 w128")),
      cuda_row(90, 2, f32, "temporal-2d t20 w384"),
      cuda_row(90, 2, f32, "temporal-2d t16 w384"),
      cuda_row(90, 2, f32, "temporal-2d t8 w384"),
      cuda_row(90, 2, f32, "temporal-2d t2 w384"),

      with_source(true, cuda_row(90, 2, f64, "temporal-2d t12 w192")),
      from_points(square(3072), cuda_row(90, 2, f64, "temporal-2d t20 w192")),
      with_source(true, cuda_row(90, 2, f64, "temporal-2d t8 w64")),
      cuda_row(90, 2, f64, "temporal-2d t20 w192"),
      cuda_row(90, 2, f64, "temporal-2d t12 w320"),
      cuda_row(90, 2, f64, "temporal-2d t8 w192"),
      with_source(false, cuda_row(90, 2, f64, "temporal-2d t2 w320")),

      cuda_row(90, 3, any_precision, "temporal-3d t4 12x3 c2"),
      // Fallback on devices without thread block clusters.
      cuda_row(90, 3, f32, "temporal-3d t4 12x3"),
      cuda_row(90, 3, f64, "temporal-3d t4 8x5"),
      cuda_row(90, 3, f32, "temporal-3d t3 16x3 c2"),
      cuda_row(90, 3, f64, "temporal-3d t3 12x4 c2"),
      cuda_row(90, 3, any_precision, "temporal-3d t2 12x4"),

      of_conductances(cuda_row(75, 2, any_precision, "columns")),
      of_conductances(cuda_row(75, 3, any_precision, "columns")),
      cuda_row(75, 2, any_precision, "tile"),
      cuda_row(75, 3, any_precision, "tile"),
  };
}

/// Returns true if a condition of a row is unset or equals `is`.
bool is_or_any(std::optional<bool> wanted, bool is) { return !wanted || *wanted == is; }

/// Returns true if a row matches the subject on this device, regardless of its plan.
bool fits(PlanRow const& row, SweepSubject const& subject, DeviceInfo const& device) {
  Extent3 const n = subject.extent;
  // In 2D the single plane is not an axis.
  std::int64_t const shortest = subject.dimension == 3 ? std::min({n.x, n.y, n.z})  //
                                                       : std::min(n.x, n.y);
  return row.backend == subject.backend && row.dimension == subject.dimension &&
         (row.device.empty() || row.device == device.name) &&
         (subject.backend == Backend::cpu || device.compute_capability >= row.min_capability) &&
         row.precision.value_or(subject.precision) == subject.precision &&
         is_or_any(row.fixed, subject.fixed) && is_or_any(row.source, subject.source) &&
         is_or_any(row.heterogeneous, subject.heterogeneous) && n.x * n.y * n.z >= row.min_points &&
         shortest >= row.min_extent;
}

/// Returns the plan of this name: one of `plans`, or that of a kernel and a block shape.
std::optional<SweepPlan> plan_named(std::string const& name, SweepSubject const& subject,
                                    std::vector<SweepPlan> const& plans) {
  auto const found = std::ranges::find(plans, name, &SweepPlan::name);
  if (found != plans.end()) return *found;
  try {
    return shaped_plan(subject, name);
  } catch (InputError const&) {
    return std::nullopt;  // no block can have this shape
  }
}

}  // namespace

std::optional<SweepPlan> shaped_plan(SweepSubject const& subject, std::string const& name) {
  if (subject.heterogeneous || subject.source) return std::nullopt;
  return shaped_plan(subject.backend, subject.dimension, subject.precision, name);
}

std::vector<SweepPlan> usable_plans(SweepSubject const& subject) {
  auto const plans_of = subject.heterogeneous ? heterogeneous_plans : sweep_plans;
  auto plans = plans_of(subject.backend, subject.dimension, subject.precision, subject.device);
  if (subject.resident) plans.push_back({resident_plan, 1});
  return plans;
}

PlanTable const& built_in_plan_table() {
  static PlanTable const table = make_built_in_table();
  return table;
}

std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       DeviceInfo const& device,
                                       std::vector<SweepPlan> const& plans, int max_steps) {
  for (PlanRow const& row : table) {
    if (!fits(row, subject, device)) continue;
    auto const plan = plan_named(row.plan, subject, plans);
    // Rows with unknown or too deep plans are skipped, not errors: a table may be of another
    // device.
    if (plan && plan->steps <= max_steps) return *plan;
  }
  return std::nullopt;
}

std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       int max_steps) {
  return plan_of_table(table, subject, device_info(subject.backend, subject.device),
                       usable_plans(subject), max_steps);
}

SweepPlan choose_plan(PlanTable const& preferred, SweepSubject const& subject, int max_steps) {
  // The preferred table is searched before the built-in one.
  for (PlanTable const* const table : {&preferred, &built_in_plan_table()}) {
    if (auto const plan = plan_of_table(*table, subject, max_steps)) return *plan;
  }
  return usable_plans(subject).front();
}

}  // namespace isotherm
