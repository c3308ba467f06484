#pragma once

#include <string>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// Processor time of the threads of a process, in seconds.
struct ProcessorTime {
  double used_s = 0.0;    ///< running on a core
  double waited_s = 0.0;  ///< ready to run, but without a core
};

/// Parses the kernel's accounting line of a thread (/proc/PID/task/TID/schedstat), which counts
/// nanoseconds. Returns zero if the line has another form.
ProcessorTime parse_schedstat(std::string const& line);

/// Returns the sum over all threads that this process has now; zero if the kernel keeps no
/// accounts.
ProcessorTime processor_time();

/// Returns one line of advice if threads waited for a core; empty otherwise. Waits below a quarter
/// of the threads' time, or below two seconds, are ignored. The causes are other programs, or
/// more threads than cores.
/// @param spent    used and waited time, summed over the threads
/// @param passive  true if OMP_WAIT_POLICY is already "passive"
/// @param single   true if the job has one rank with one thread, which cannot take fewer cores
std::string hint_about_busy_cores(ProcessorTime spent, bool passive, bool single = false);

/// Measures the processor time that all ranks use after its construction. The constructor is not
/// collective.
///
/// Times are those of the threads that exist when hint() is called. A thread that ends before is
/// lost from the account.
///
///   ProcessorWatch const watch(ranks);
///   run();
///   std::string const hint = watch.hint();  // collective
class ProcessorWatch {
 public:
  /// @param ranks  must outlive this object
  explicit ProcessorWatch(mpi::Communicator const& ranks) : ranks_(ranks) {}

  /// Returns hint_about_busy_cores() for the sum over all ranks. Collective.
  [[nodiscard]] std::string hint() const;

 private:
  mpi::Communicator const& ranks_;
  ProcessorTime start_ = processor_time();
};

}  // namespace isotherm::app
