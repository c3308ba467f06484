#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jobs/machine/device_choice.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// What one plan did on one problem.
struct PlanMeasurement {
  SweepPlan plan{};
  double seconds = 0.0;  ///< an iteration
  double points_per_second = 0.0;
  double copy_bytes_per_second = 0.0;
  double ratio = 0.0;       ///< to a sweep that is bound by the copy rate
  double difference = 0.0;  ///< largest, from the plain plan
  bool equal = false;       ///< the field is the plain plan's, bit for bit
};

/// Seconds an iteration with and without checks.
struct CheckMeasurement {
  double checked_s = 0.0;
  double unchecked_s = 0.0;

  /// As a share of the time without.
  [[nodiscard]] double cost() const { return checked_s / unchecked_s - 1.0; }
};

/// Times the plans of one problem on one random field, and compares their fields with the plain
/// plan's. All members are collective.
class SweepBench {
 public:
  SweepBench(mpi::Communicator const& ranks, Device const& device, Problem problem, int repeat);
  /// True where there is memory for one. Collective.
  static bool fits(mpi::Communicator const& ranks, Device const& device, Problem const& problem);

  /// Those that can be measured, the plain one first.
  [[nodiscard]] std::vector<SweepPlan> const& plans() const { return plans_; }
  /// The one that a run uses where nothing is said.
  [[nodiscard]] SweepPlan default_plan() const;

  /// @param plan  a name of plans(), or "auto"
  PlanMeasurement measure(std::string const& plan);
  /// What it costs that every `check_every`th iteration also measures its residual. Timed between
  /// two timings without, as a device that grows warm slows down by more than that.
  CheckMeasurement measure_checks(std::string const& plan, std::int64_t check_every);

 private:
  std::unique_ptr<Solver> make(std::string const& plan, std::int64_t check_every);
  double time_checked(std::string const& plan, std::int64_t check_every);
  void advance(Solver& solver, HostValues& field) const;
  [[nodiscard]] double largest_difference() const;

  mpi::Communicator const& ranks_;
  Problem problem_;
  int repeat_;
  Execution execution_;
  MethodSettings method_;  ///< kept: the longest step of a body takes a look at every point
  std::vector<SweepPlan> plans_;
  std::int64_t common_steps_ = 1;
  HostValues initial_;    ///< random, as all fields here this rank's owned points
  HostValues reference_;  ///< after common_steps_ with the plain plan
  HostValues field_;      ///< likewise with the plan that is measured
};

/// How many steps a pass of the plan takes: "4"; "any" where it takes as many as are wanted.
std::string steps_text(SweepPlan const& plan);

}  // namespace isotherm
