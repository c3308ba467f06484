#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "io/files/descriptor.hpp"

namespace isotherm::app {

/// Another process of this program, with its own MPI session. Its standard output is discarded, and
/// its messages of errors are kept.
///
///   ChildProcess child({"run", "case.toml", "--quiet"}, child_environment(0, 1));
///   while (!child.poll()) wait();
///   if (*child.poll() != 0) std::cerr << child.message();
class ChildProcess {
 public:
  /// Starts the process. @throws Error  if the system cannot
  /// @param words        of its command line, after the name of the program
  /// @param environment  all of its environment, "NAME=VALUE"
  ChildProcess(std::vector<std::string> const& words, std::vector<std::string> const& environment);
  /// Kills the process if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;

  /// Returns the exit code once the process has ended; 128 + n if signal n has ended it.
  std::optional<int> poll();
  /// Sends a signal, if the process still runs.
  void send(int signal) const;
  /// Returns the last line that the process has written to standard error, without the name of the
  /// program in front. @pre it has ended
  [[nodiscard]] std::string message() const;

 private:
  pid_t id_ = 0;                    ///< 0: ended
  std::optional<int> exit_code_{};  ///< none while it runs
  Descriptor errors_;               ///< a file in memory
};

/// Returns the environment with which this process was started, before MPI changed it, for one of
/// several processes that share the cores and GPUs of this machine. The user's own OMP_NUM_THREADS
/// remains; otherwise each process gets its share of the cores.
/// @param slot   number of the process among those that run at the same time, from 0
/// @param slots  number of such processes
std::vector<std::string> child_environment(int slot, int slots);

}  // namespace isotherm::app
