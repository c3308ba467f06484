#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/run/initial_field.hpp"
#include "jobs/run/output_directory.hpp"
#include "jobs/run/output_sizes.hpp"
#include "jobs/run/resume.hpp"
#include "jobs/run/run.hpp"
#include "jobs/run/run_plan.hpp"

namespace isotherm {

/// A run of which everything is decided that can be before anything is allocated or written.
struct PreparedRun {
  RunOptions options;  ///< with --resume-or-overwrite decided for one of the two
  Case chosen;
  OldResults old_results = OldResults::refuse;
  RunInputs inputs{};
  std::vector<ResumePoint> resume_points{};  ///< newest first; none where the run starts anew
  std::optional<InitialField> initial{};     ///< where the case begins with a file
  std::string kept_time_step{};  ///< what is said of it; empty where the case's own is the file's
  RunPlan plan{};
  bool shared_devices = false;  ///< ranks share a GPU on some host
  OutputSizes sizes{};          ///< the root's
  std::vector<std::string> warnings{};
};

/// Reads the case and finds all that is wrong before the run begins. Collective.
/// @throws InputError  on every rank; nothing was written
PreparedRun prepare_run(mpi::Communicator const& ranks, RunOptions const& options);

/// The same for a case that was read before, of a run that nothing is written of: no output
/// directory is looked at. Collective. @throws InputError  on every rank
PreparedRun prepare_unwritten_run(mpi::Communicator const& ranks, Case chosen);

/// Lays out the steps of a run in time from where it goes on.
void go_on_from(PreparedRun& run, ResumePoint const& point);

}  // namespace isotherm
