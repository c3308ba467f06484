#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"

// Time limits of batch systems: a run that has to end at a given time stops early enough to write
// its last checkpoint. The margin is derived from the measured times of earlier files and chunks.

namespace isotherm::app {

/// The time at which a run has to end, and the source of that demand.
struct Deadline {
  double after_s = 0.0;  ///< seconds after the start of the process
  std::string source;    ///< "run.wall_time" or "the end of the SLURM job"
};

/// Returns the earlier of the case's wall time and the end of the SLURM job, or nothing if there is
/// neither.
///
/// SLURM's time is ignored with a warning if it cannot be read or is over already, as in a shell
/// that has outlived its job.
/// @param slurm_end_time  SLURM_JOB_END_TIME, in seconds since 1970; null if it is not set
/// @param start_s         start of the process, in seconds since 1970
std::optional<Deadline> deadline_of(std::optional<double> wall_time_s, char const* slurm_end_time,
                                    double start_s, std::vector<std::string>& warnings);

/// Decides whether a run has to stop now, to have its last checkpoint written in time. Each rank
/// may have one; the root's decides.
///
///   TimeLimit limit(deadline, checkpoint_bytes, elapsed_s);
///   limit.advanced(chunk_s);
///   limit.wrote(file_s);
///   if (limit.must_stop()) write_last_checkpoint();
class TimeLimit {
 public:
  /// @param bytes          of a checkpoint; before one was written, a slow disk is assumed
  /// @param elapsed_s      returns the seconds since the start of the process
  /// @param in_background  an earlier field may still be being written, and the last one waits for
  /// it
  /// @param launch_s       time that MPI took to start; as much is reserved for its end
  TimeLimit(std::optional<Deadline> deadline, double bytes, std::function<double()> elapsed_s,
            bool in_background = false, double launch_s = 0.0);

  /// Records the time that writing a field took, in seconds.
  void wrote(double seconds);
  /// Records the time that a chunk of iterations took, in seconds.
  void advanced(double seconds);

  /// Returns true if the run has to stop now. Never true before the first chunk, so a run that is
  /// restarted repeatedly makes progress.
  [[nodiscard]] bool must_stop() const;
  /// Returns the seconds reserved for the next chunk and for everything after it.
  [[nodiscard]] double margin_s() const;
  [[nodiscard]] std::optional<Deadline> const& deadline() const { return deadline_; }

 private:
  std::optional<Deadline> deadline_;
  double pending_field_;  ///< number of fields that may have to be waited for, 0 or 1
  double first_guess_s_;  ///< time of a checkpoint, before one was written
  double launch_s_;       ///< reserved for the end of MPI
  std::function<double()> elapsed_s_;
  std::optional<double> longest_write_s_{};  ///< none before the first file
  std::optional<double> longest_chunk_s_{};  ///< none before the first chunk
};

}  // namespace isotherm::app
