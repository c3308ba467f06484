#pragma once

#include <string>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Processor time of the threads of a process, in seconds.
struct ProcessorTime {
  double used_s = 0.0;
  double waited_s = 0.0;  ///< time in which a thread had work and no core
};

/// Reads one line of the kernel's accounts of a thread (/proc/PID/task/TID/schedstat), which counts
/// nanoseconds; zero if the line has another form.
ProcessorTime parse_schedstat(std::string const& line);

/// Returns the sum over the threads that this process has now; zero if the kernel keeps no
/// accounts.
ProcessorTime processor_time();

/// Returns one line that says what to do if threads waited for a core for much of their time,
/// because other programs, or more threads than there are cores, were running; empty otherwise.
std::string hint_about_busy_cores(ProcessorTime spent, bool passive);

/// Measures the processor time that all ranks use from its construction on.
class ProcessorWatch {
 public:
  explicit ProcessorWatch(mpi::Communicator const& ranks) : ranks_(ranks) {}

  /// Returns hint_about_busy_cores() for the sum over all ranks. Collective.
  [[nodiscard]] std::string hint() const;

 private:
  mpi::Communicator const& ranks_;
  ProcessorTime start_ = processor_time();
};

}  // namespace isotherm
