#pragma once

#include <optional>

#include "jobs/run/field_writer.hpp"
#include "jobs/run/prepared_run.hpp"
#include "jobs/run/summary.hpp"

namespace isotherm {

/// What a summary says of a run before its first iteration.
Summary blank_summary(mpi::Communicator const& ranks, PreparedRun const& run, Solver const& solver,
                      std::optional<ResumePoint> const& resumed_from);

/// Adds what came out: the state and the final field's file. Collective.
/// @throws Error  on the root, where files were written, but none of this iteration
void describe_result(Solver& solver, FieldWriter& writer, Summary& summary);

/// "the newest file to go on from is u_000500.vtkhdf, 12 s old", of a series' files; or that there
/// is none.
std::string say_newest_to_go_on_from(std::vector<SnapshotFile> const& files);

/// Writes summary.json, which names itself among the files. Serial: the root's.
/// @throws Error  where it cannot be written, or the directory is no longer the one it was
void write_summary(PreparedRun const& run, OutputDirectory const& directory, Summary& summary);

}  // namespace isotherm
