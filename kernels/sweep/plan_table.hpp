#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/sweep/sweep.hpp"

namespace isotherm {

/// What decides which plan is the fastest.
struct SweepSubject {
  Backend backend = Backend::cpu;
  int device = 0;
  int dimension = 3;
  Precision precision = Precision::float32;
  Extent3 extent{};         ///< points of the smallest rank
  bool fixed = false;       ///< all faces of the grid keep their values
  bool source = false;      ///< a source is added
  bool conducting = false;  ///< by conductances (kernels/operators/conductances.hpp)
  bool resident = false;    ///< resident_plan may be used (kernels/sweep/resident.hpp)
};

/// All plans that the subject can be swept with, the plain one first.
std::vector<SweepPlan> usable_plans(SweepSubject const& subject);

/// A row says: on such a device, for such a field, this plan is the fastest that was measured
/// (docs/performance.md).
struct PlanRow {
  Backend backend = Backend::cpu;
  std::string device{};      ///< its name; empty: any
  int least_capability = 0;  ///< compute capability, 90 for 9.0; 0 on the CPU
  int dimension = 3;
  std::optional<Precision> precision{};  ///< none: either
  std::optional<bool> fixed{};           ///< as in SweepSubject; none: either
  std::optional<bool> source{};
  std::optional<bool> conducting{};
  std::int64_t least_points = 0;  ///< owned by the rank
  std::int64_t least_extent = 0;  ///< of the shortest axis
  std::string plan{};
};
using PlanTable = std::vector<PlanRow>;

/// The plan of the first row of `table` that fits the subject and whose plan is known here and
/// takes at most `most_steps` steps a pass; none where there is no such row.
std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       int most_steps);

/// The same, of the given plans on the given device.
std::optional<SweepPlan> plan_of_table(PlanTable const& table, SweepSubject const& subject,
                                       DeviceInfo const& device,
                                       std::vector<SweepPlan> const& plans, int most_steps);

/// What holds where nobody has measured anything else.
PlanTable const& built_in_plan_table();

/// The plan to use by default: that of `preferred`, else that of the built-in table, else the plain
/// one.
SweepPlan choose_plan(PlanTable const& preferred, SweepSubject const& subject, int most_steps);

}  // namespace isotherm
