#pragma once

namespace isotherm {

/// Turns SIGUSR1, SIGTERM and SIGINT into a wish to stop that the run asks for between chunks of
/// work; a second SIGINT ends the process at once. SIGPIPE is ignored: a run goes on where nobody
/// reads what it prints any more. For the life of the object; one at a time, made after MPI has
/// started, whose own handlers it replaces.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();  ///< puts the signals' former effect back
  StopRequest(StopRequest const&) = delete;
  StopRequest& operator=(StopRequest const&) = delete;

  /// True once a signal has reached this process.
  [[nodiscard]] static bool made();
  /// "SIGTERM" …, the signal that came last; empty before.
  [[nodiscard]] static char const* signal_name();
};

}  // namespace isotherm
