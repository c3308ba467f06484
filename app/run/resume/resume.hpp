#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/queue/memory.hpp"

// Resuming: a field file stores the state of the solver with its values, so a run continues from it
// with the same result. If the newest file is damaged, the run resumes from the next older one.

namespace isotherm::app {

/// A file that a run may resume from, and the solver's state in it. Every rank has the same one.
struct ResumePoint {
  std::filesystem::path file;
  SolverState state;
};

/// Returns the newest file that a run can resume from, judged by its description only; null if
/// there is none.
/// @param files  of a series, lowest iteration first
SnapshotFile const* newest_resumable(std::vector<SnapshotFile> const& files);

/// Returns the files that a run may resume from, newest first, the same list on every rank.
/// Collective.
/// @param file      the only file to consider; if none, all whole fields in the output directory
/// @param warnings  names the unreadable files among those, which are left out
/// @throws InputError  on every rank, if there is no file, a named file is unreadable, or a file
///                     cannot be resumed from, belongs to another problem, or lies past the run's
///                     last iteration
std::vector<ResumePoint> resume_points(mpi::Communicator const& ranks, Case const& chosen,
                                       std::optional<std::filesystem::path> const& file,
                                       std::vector<std::string>& warnings);

/// Reads the values of the first sound file of `points`, and verifies the checksums of each file
/// that it reads. Collective.
/// @param points    not empty; see resume_points()
/// @param values    as many as this rank's owned points
/// @param warnings  names the damaged files before it
/// @return          the file that was read
/// @throws InputError  on every rank, if no file is sound
ResumePoint load_newest(mpi::Communicator const& ranks, Subdomain const& subdomain,
                        std::vector<ResumePoint> const& points, HostValues& values,
                        std::vector<std::string>& warnings);

}  // namespace isotherm::app
