#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"
#include "kernels/core/memory.hpp"

namespace isotherm {

/// A file that a run may go on from.
struct ResumePoint {
  std::filesystem::path file;
  SolverState state;
};

/// Of a series' files, the lowest iteration first, the last one that a run may go on from, as far
/// as its description tells; null where there is none.
SnapshotFile const* newest_to_go_on_from(std::vector<SnapshotFile> const& files);

/// The files that a resumed run may start from, newest first; the same list on every rank. With
/// `file` that one alone, else the whole fields in the output directory; unreadable ones among
/// those are named in `warnings` and left out. Collective.
/// @throws InputError  on every rank: no file, an unreadable one that was named, a file that cannot
///                     be resumed from, one of another problem, or one past the run's last
///                     iteration
std::vector<ResumePoint> resume_points(mpi::Communicator const& ranks, Case const& chosen,
                                       std::optional<std::filesystem::path> const& file,
                                       std::vector<std::string>& warnings);

/// Reads the values of the first of `points` that is sound into `values` (as many as this rank's
/// owned points) and returns it; the others are named in `warnings`. Collective.
/// @throws InputError  on every rank, where none is sound
ResumePoint load_newest(mpi::Communicator const& ranks, Subdomain const& subdomain,
                        std::vector<ResumePoint> const& points, HostValues& values,
                        std::vector<std::string>& warnings);

}  // namespace isotherm
