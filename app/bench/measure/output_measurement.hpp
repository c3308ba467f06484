#pragma once

#include <filesystem>

#include "app/bench/bench.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// The result of writing and reading a field: as a snapshot, and for comparison the same bytes as a
/// plain file. Times are those of the slowest rank.
struct OutputMeasurement {
  double plain_write_s = 0.0;
  double snapshot_s = 0.0;   ///< everything that a run waits for
  double copy_s = 0.0;       ///< part of it: copying the field to the host, without halo
  SnapshotTimes split{};     ///< the other parts
  double write_share = 0.0;  ///< time of the plain write relative to the snapshot's
  double file_bytes = 0.0;   ///< size of the snapshot

  double plain_read_s = 0.0;
  double resume_s = 0.0;    ///< reading the snapshot as a resumed run does
  double read_share = 0.0;  ///< time of the plain read relative to the resumed run's
  /// Share of the plain file in the page cache before reading.
  double plain_in_memory = 0.0;
  double snapshot_in_memory = 0.0;  ///< the same of the snapshot
};

/// Measures writing and reading. Collective.
///
/// Each repetition performs all four operations, so a temporary slowdown of the disk affects all of
/// them. The result consists of medians. Only one file exists at a time.
/// @param solver     holds the field
/// @param directory  where files are created and removed
OutputMeasurement measure_output(mpi::Communicator const& ranks, Solver& solver,
                                 Precision precision, std::filesystem::path const& directory,
                                 int compression, int repeat);

}  // namespace isotherm
