#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/bench/bench.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// A field as files, and the same bytes beside it as nothing but bytes. Seconds are those of the
/// slowest rank.
struct OutputMeasurement {
  double plain_write_s = 0.0;
  double snapshot_s = 0.0;   ///< all that a run waits for
  double copy_s = 0.0;       ///< of that: the field to the host's memory, without its halo
  SnapshotTimes split{};     ///< of that
  double write_share = 0.0;  ///< the plain write's time relative to the snapshot's
  double file_bytes = 0.0;   ///< of the snapshot

  double plain_read_s = 0.0;
  double resume_s = 0.0;  ///< reading the snapshot as a run does that goes on from it
  double read_share = 0.0;
  double plain_in_memory =
      0.0;  ///< the share of the plain file that was in memory, not on the disk
  double snapshot_in_memory = 0.0;
};

/// Medians of so many repetitions, each of which does all four, so that a disk that is slow for a
/// while is slow for all of them. One file at a time. Collective.
/// @param solver     holds the field
/// @param directory  where files are made and removed
OutputMeasurement measure_output(mpi::Communicator const& ranks, Solver& solver,
                                 Precision precision, std::filesystem::path const& directory,
                                 int compression, int repeat);

}  // namespace isotherm
