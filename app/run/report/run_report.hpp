#pragma once

#include <optional>

#include "app/run/output/field_writer.hpp"
#include "app/run/prepare/prepared_run.hpp"
#include "app/run/report/summary.hpp"

namespace isotherm::app {

/// Returns the summary of a run before its first iteration. Its outcome is `failed` until results
/// replace it.
Summary blank_summary(mpi::Communicator const& ranks, PreparedRun const& run, Solver const& solver,
                      std::optional<ResumePoint> const& resumed_from);

/// Adds the results to a summary: the solver's state, statistics, and the final field's file.
/// Collective.
/// @throws Error  on the root, if files were written, but none of the last iteration
void describe_result(Solver& solver, FieldWriter& writer, Summary& summary);

/// Returns "the newest file to resume from is u_000500.vtkhdf, 12 s old", or that there is none.
/// @param files  all snapshots of a series
std::string describe_newest_resumable(std::vector<SnapshotFile> const& files);

/// Writes summary.json, which lists all result files, including itself and a report that is to be
/// written. Serial, on the root.
/// @throws Error  if it cannot be written, or the directory has been replaced
void write_summary(PreparedRun const& run, OutputDirectory const& directory, Summary& summary);

/// Returns whether the run writes report.html: the case asks for it, and there is no page of
/// somebody else under this name. Serial, on the root.
bool writes_report(Case const& chosen);

/// Writes report.html from summary.json and the other files of the run. Serial, on the root.
/// @pre  writes_report(run.chosen)
/// @throws Error  if it cannot be written, or the directory has been replaced
void write_run_report(PreparedRun const& run, OutputDirectory const& directory);

}  // namespace isotherm::app
