#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/run/output/output_sizes.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// How fields are written before the end of a run.
struct BackgroundOutput {
  bool possible = false;       ///< the run continues while a field is written
  std::size_t copy_bytes = 0;  ///< of the copy on the device; included in RunPlan::memory
  /// The reason why it is not possible, as a clause. Also empty if no field is written before the
  /// end.
  std::string obstacle{};
  /// True if the case asks for no field before the end, so only default checkpoints are written.
  bool only_default = false;
};

/// The device, decomposition, kernel variant and memory with which a case will run: everything that
/// is known before allocation and output. Members that depend on the rank's device or subdomain are
/// those of this rank.
struct RunPlan {
  Device device;
  Execution execution;
  std::optional<SolverPlan> solver{};  ///< always set by make_run_plan()
  Extent3 owned{};                     ///< points of this rank along each axis
  Extent3 largest_part{};              ///< points of the largest part
  SweepPlan sweep;                     ///< the kernel variant of full passes
  std::string sweep_from{};            ///< file of the plan table that names it, or empty
  std::string tuned{};                 ///< what was measured to choose it; empty: nothing
  MemoryNeed memory{};                 ///< of this rank
  MemoryLimits memory_limits{};        ///< memory available to this rank
  BackgroundOutput background{};
  std::vector<std::string> warnings{};
};

/// Plans the execution of a case: device, decomposition, kernel variant, memory. Collective.
/// @param from  iteration at which the run starts
/// @param may_tune  kernel variants may be measured, see known_plans(), and remembered in the
///                  user's cache
/// @throws InputError  on every rank, if the case has no solution, if the device, decomposition or
///                     sweep plan is unavailable, or the plan table has a mistake
RunPlan make_run_plan(mpi::Communicator const& ranks, Case const& chosen, std::int64_t from,
                      bool may_tune);

/// Returns the host memory of this rank that is free beyond the plan's need.
std::size_t spare_host_bytes(RunPlan const& plan);
/// The same of this rank's share of its GPU. On the CPU it is that of the host.
std::size_t spare_device_bytes(RunPlan const& plan);

/// Checks that every rank has enough memory. Collective.
/// @throws InputError  on every rank if not; the message contains how much is missing
void check_memory(mpi::Communicator const& ranks, Case const& chosen, RunPlan const& plan);

/// Computes the sizes of the output without default checkpoints, and then of these. Switches them
/// off in the case if the disk has no room for them; a run must not fail because of files that
/// nobody asked for. Serial; see output_sizes() for the parameters.
OutputSizes sizes_with_default_checkpoints(Case& chosen, std::int64_t from, OldFiles const& old);

/// Checks that the disk has room for the output. Compressed output is not checked, since its size
/// is unknown before it is written. Serial.
/// @throws InputError  if the output does not fit; the message contains the need and the free space
void check_disk(Case const& chosen, OutputSizes const& sizes);

}  // namespace isotherm::app
