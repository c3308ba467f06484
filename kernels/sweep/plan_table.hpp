#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/sweep/sweep.hpp"

namespace isotherm {

/// Everything that the choice of the fastest plan depends on.
struct SweepSubject {
  Backend backend = Backend::cpu;
  int device = 0;
  int dimension = 3;
  Precision precision = Precision::float32;
  Extent3 extent{};            ///< number of points of the rank with the fewest points
  bool fixed = false;          ///< all faces of the grid have fixed (Dirichlet) values
  bool source = false;         ///< a source term is added
  bool heterogeneous = false;  ///< variable coefficients (kernels/operators/conductances.hpp)
  bool resident = false;       ///< resident_plan is allowed (kernels/sweep/resident.hpp)
};

/// Returns all plans that can sweep the subject, the plain one first.
std::vector<SweepPlan> usable_plans(SweepSubject const& subject);
/// Returns the plan of a kernel and a block shape, such as "march 32x32" (shaped_plans.hpp); none
/// if it cannot sweep the subject. These kernels have neither sources nor variable coefficients.
std::optional<SweepPlan> shaped_plan(SweepSubject const& subject, std::string const& name);

/// A row of a plan table: on such a device and for such a field, this plan was the fastest measured
/// (docs/explanation/performance.md). Unset members match everything.
struct PlanRow {
  Backend backend = Backend::cpu;
  std::string device{};    ///< the device's name; empty: any
  int min_capability = 0;  ///< minimum compute capability, 90 for 9.0; 0 on the CPU
  int dimension = 3;
  std::optional<Precision> precision{};  ///< none: either precision
  std::optional<bool> fixed{};           ///< as in SweepSubject; none: either
  std::optional<bool> source{};
  std::optional<bool> heterogeneous{};
  std::int64_t min_points = 0;  ///< minimum number of points that the rank owns
  std::int64_t min_extent = 0;  ///< minimum number of points on the shortest axis
  std::string plan{};
};
/// Plan rows by priority: the first row that matches decides.
using PlanTable = std::vector<PlanRow>;

/// Returns the plan of the first matching row. A row matches if it fits the subject, and the
/// subject's device has its plan, with at most `max_steps` steps a pass. Returns none if no row
/// matches.
std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       int max_steps);

/// As above, with the device's properties and its plans given instead of queried.
std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       DeviceInfo const& device,
                                       std::vector<SweepPlan> const& plans, int max_steps);

/// Returns the built-in table, whose plans were the fastest in our own measurements
/// (docs/explanation/performance.md).
PlanTable const& built_in_plan_table();

/// Returns the default plan: that of `preferred`, else that of the built-in table, else the plain
/// plan.
///
///   SweepSubject subject{.backend = Backend::cuda, .dimension = 3, .extent = {512, 512, 512}};
///   SweepPlan const plan = choose_plan({}, subject, 4);  // halos of at most 4 ghost layers
/// @param max_steps  maximum number of steps a pass, usually the number of ghost layers
/// @throws Error  if the device's properties cannot be queried
SweepPlan choose_plan(PlanTable const& preferred, SweepSubject const& subject, int max_steps);

}  // namespace isotherm
