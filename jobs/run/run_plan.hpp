#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/case.hpp"
#include "jobs/machine/device_choice.hpp"
#include "jobs/machine/memory_limits.hpp"
#include "jobs/run/output_sizes.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// How fields are written before the end of a run.
struct BackgroundOutput {
  bool possible = false;       ///< the run goes on meanwhile
  std::size_t copy_bytes = 0;  ///< on the device, of RunPlan::memory, for the copy that is written
  std::string obstacle{};      ///< why not, in a clause; empty too where nothing is written before
};

/// Where and how a case will run: all that can be known before anything is allocated or written.
struct RunPlan {
  Device device;
  Execution execution;
  std::optional<SolverPlan> solver{};  ///< always there
  Extent3 owned{};                     ///< points of this rank
  Extent3 largest_part{};              ///< points of the largest part
  SweepPlan sweep;
  std::string sweep_from{};  ///< the plan table's file that names it; empty where none does
  MemoryNeed memory{};
  MemoryLimits memory_limits{};
  BackgroundOutput background{};
  std::vector<std::string> warnings{};
};

/// @param from  the iteration that the run begins with. Collective.
/// @throws InputError  on every rank, where the case has no solution, or the device, decomposition
///                     or sweep plan is not to be had, or the plan table has a mistake
RunPlan make_run_plan(mpi::Communicator const& ranks, Case const& chosen, std::int64_t from);

/// @throws InputError  on every rank, where a rank's memory does not suffice: says how much is
///                     missing. Collective.
void check_memory(mpi::Communicator const& ranks, Case const& chosen, RunPlan const& plan);

/// @throws InputError  where the disk is too small for what will be written. Compressed output is
///                     not judged, as its size is not known before.
void check_disk(Case const& chosen, OutputSizes const& sizes);

}  // namespace isotherm
