#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// When a run has to be over, and who says so.
struct Deadline {
  double after_s = 0.0;  ///< seconds from the start of the process
  std::string said_by;   ///< "run.wall_time", "the end of the SLURM job"
};

/// The earlier of what the case allows and of when SLURM ends the job (SLURM_JOB_END_TIME, seconds
/// since 1970); nothing where neither is said. What SLURM says is left out where it cannot be read
/// or is over already, as in a shell that has outlived its job; `warnings` says so.
/// @param start_s  when the process was started, in seconds since 1970
std::optional<Deadline> deadline_of(std::optional<double> wall_time_s, char const* slurm_end_time,
                                    double start_s, std::vector<std::string>& warnings);

/// Whether a run has to stop now to have its last checkpoint written in time. What that takes is
/// learnt from what was written before. Each rank may have one; the root's is asked.
class TimeLimit {
 public:
  /// @param elapsed_s     returns the seconds since the process was started
  /// @param bytes         of a checkpoint: before one was written, it is taken to be written slowly
  /// @param in_background  a field may still be on its way to the disk, which the last waits for
  /// @param launch_s      the seconds that MPI took to start: as many are kept for its end
  TimeLimit(std::optional<Deadline> deadline, double bytes, std::function<double()> elapsed_s,
            bool in_background = false, double launch_s = 0.0);

  /// The seconds that writing a field took.
  void wrote(double seconds);
  /// The seconds that a chunk of iterations took.
  void advanced(double seconds);

  /// False also before a first chunk: a run that is started again and again gets on.
  [[nodiscard]] bool must_stop() const;
  /// The seconds that are kept for the chunk in hand and for what follows it.
  [[nodiscard]] double margin_s() const;
  [[nodiscard]] std::optional<Deadline> const& deadline() const { return deadline_; }

 private:
  std::optional<Deadline> deadline_;
  double in_hand_;  ///< fields that may have to be waited for
  double first_guess_s_;
  double launch_s_;
  std::function<double()> elapsed_s_;
  std::optional<double> longest_write_s_{};
  std::optional<double> longest_chunk_s_{};
};

}  // namespace isotherm
