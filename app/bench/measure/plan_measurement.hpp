#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/bench.hpp"
#include "app/machine/device_choice.hpp"
#include "kernels/core/queue/launches.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// The result of measuring one plan on one problem. Rates are sums over all ranks.
struct PlanMeasurement {
  SweepPlan plan{};
  double seconds = 0.0;  ///< time of an iteration on the slowest rank
  double points_per_second = 0.0;
  /// Bytes read plus bytes written; see copy_rate(). The same for all plans of a problem.
  double copy_bytes_per_second = 0.0;
  double ratio = 0.0;       ///< relative to a sweep limited by the copy rate
  double difference = 0.0;  ///< largest difference from the plain plan
  bool equal = false;       ///< the field has the same bits as with the plain plan
};

/// Measures the plans of one problem on the same random field, and compares their results with that
/// of the plain plan. All members are collective.
///
/// Only one solver exists at a time. The host holds three copies of the rank's part of the field:
/// the initial field, the reference and the result of the plan that is measured.
///
///     SweepBench bench(ranks, device, problem, Batches{});
///     for (SweepPlan const& plan : bench.plans()) {
///       PlanMeasurement const measured = bench.measure(plan.name);
///     }
class SweepBench {
 public:
  /// Computes the reference result with the plain plan.
  /// @param ranks  must outlive this object
  /// @pre fits()
  SweepBench(mpi::Communicator const& ranks, Device const& device, Problem problem,
             Batches batches);
  /// Returns whether a SweepBench of the problem fits into memory. Collective.
  static bool fits(mpi::Communicator const& ranks, Device const& device, Problem const& problem);

  /// Returns the plans that can be measured, the plain one first.
  [[nodiscard]] std::vector<SweepPlan> const& plans() const { return plans_; }
  /// Returns the plan that a run uses by default.
  [[nodiscard]] SweepPlan default_plan() const;

  /// Measures one plan, after comparing its field with the reference.
  /// @param plan  a name from plans(), or "auto"
  /// @throws InputError  on every rank, if there is no such plan
  PlanMeasurement measure(std::string const& plan);

  /// Returns the kernels of one pass by a plan; none on the CPU.
  /// @throws Error  if the pass cannot be recorded
  std::vector<KernelLaunch> launches(std::string const& plan);

 private:
  /// Builds a solver with the random initial field.
  std::unique_ptr<Solver> make(std::string const& plan);
  /// Advances a solver by common_steps_ iterations, and reads the result.
  void advance(Solver& solver, HostValues& field) const;
  /// Returns the largest difference between field_ and reference_ on all ranks.
  [[nodiscard]] double largest_difference() const;

  mpi::Communicator const& ranks_;
  Problem problem_;
  Batches batches_;
  double copy_bytes_per_second_ = 0.0;  ///< 0 until the first plan is measured
  Execution execution_;
  /// Stored, because the longest step of a heterogeneous medium needs a pass over all points.
  MethodSettings method_;
  std::vector<SweepPlan> plans_;
  /// Iterations after which fields are compared: more than two passes of every plan.
  std::int64_t common_steps_ = 1;
  /// The random initial field. As all fields here, it has this rank's points without halo.
  HostValues initial_;
  /// The field after common_steps_ iterations with the plain plan.
  HostValues reference_;
  /// The same with the plan that is being measured.
  HostValues field_;
};

/// Returns the number of steps that a plan takes per pass: "4", or "any" for the resident plan.
std::string steps_text(SweepPlan const& plan);
/// Returns the same for JSON files: a number, or null for the resident plan.
nlohmann::ordered_json steps_json(SweepPlan const& plan);

}  // namespace isotherm::app
