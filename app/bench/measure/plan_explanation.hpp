#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/measure/plan_measurement.hpp"

namespace isotherm::app {

/// Why a plan is as fast as it is: what its kernels occupy, and what bounds the rate of its steps.
///
/// The bounds are those of a model (a roofline): each pass reads and writes each value once, and
/// each step does the operations of its formula at every point. Points that neighbouring blocks
/// both compute are not included.
struct PlanExplanation {
  std::vector<KernelLaunch> launches{};  ///< of one pass; none on the CPU
  std::string obstacle{};                ///< why there are no launches; empty if there are
  double bytes = 0.0;                    ///< a point and step; 0 if the grid stays on the chip
  double operations = 0.0;               ///< a point and step; 0 if they depend on the point
  double memory_points_per_s = 0.0;      ///< bound of the copy rate; 0: none
  double arithmetic_points_per_s = 0.0;  ///< bound of the arithmetic units; 0: not known

  /// Returns the lower bound, in points and steps per second; 0 if none is known.
  [[nodiscard]] double bound() const;
  /// Returns "memory" or "arithmetic", the one with the lower bound; "nothing" if none is known.
  [[nodiscard]] std::string bound_by() const;
};

/// Explains a plan that was measured. Collective.
PlanExplanation explain(SweepBench& bench, Device const& device, Problem const& problem,
                        PlanMeasurement const& measured);

/// Returns the explanation as lines below the row of the plan.
std::vector<std::string> lines_of(PlanExplanation const& explanation,
                                  PlanMeasurement const& measured);

/// Returns the explanation as JSON.
nlohmann::ordered_json to_json(PlanExplanation const& explanation);

}  // namespace isotherm::app
