#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/output/output_directory.hpp"
#include "app/run/output/output_sizes.hpp"
#include "app/run/prepare/initial_field.hpp"
#include "app/run/prepare/run_plan.hpp"
#include "app/run/report/region_report.hpp"
#include "app/run/resume/resume.hpp"
#include "app/run/run.hpp"
#include "case/case.hpp"

// Preparation of a run: everything that can be decided or refused before anything is allocated or
// written. So bad input costs neither time nor old results.

namespace isotherm::app {

/// A run for which everything is decided that can be before allocation and output. Members marked
/// "the root's" have their defaults on other ranks.
struct PreparedRun {
  RunOptions options;  ///< --resume-or-overwrite is replaced by one of the two
  Case chosen;         ///< the case, with all overrides
  OldResults old_results = OldResults::refuse;  ///< the root's
  RunInputs inputs{};                           ///< files that must not be overwritten
  std::vector<ResumePoint> resume_points{};     ///< newest first; empty without --resume
  std::optional<InitialField> initial{};        ///< set if the case starts from a file
  std::string resumed_settings{};  ///< line on a step or method kept from the file, or empty
  RunPlan plan{};
  bool shared_devices = false;            ///< ranks share a GPU on some host
  OutputSizes sizes{};                    ///< the root's
  std::vector<MeasuredRegion> regions{};  ///< the root's, once the header is printed
  std::vector<std::string> warnings{};    ///< to be printed once the run begins
};

/// Reads the case and finds all errors that can be found before the run begins. Collective.
///
///   RunOptions options;
///   options.case_file = "case.toml";
///   PreparedRun run = prepare_run(ranks, options);
///   std::optional<ResumePoint> resumed_from;
///   auto const solver = make_first_values(ranks, run, resumed_from);
/// @throws InputError  on every rank; nothing was written
PreparedRun prepare_run(mpi::Communicator const& ranks, RunOptions const& options);

/// Prepares a run without output, for a case that has been read already. No output directory is
/// examined. Collective.
/// @throws InputError  on every rank
PreparedRun prepare_unwritten_run(mpi::Communicator const& ranks, Case chosen);

/// Keeps what the run before the state has decided (keep_decisions()), and lays out the time steps
/// of a method in time from there. Not collective: every rank has the same state, and computes the
/// same steps from it.
void continue_from(PreparedRun& run, ResumePoint const& point);

}  // namespace isotherm::app
