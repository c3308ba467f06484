#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Returns true if a SIGINT is a second request, not a duplicate of the first one. Some senders
/// signal a process and its group, so one request may arrive twice within milliseconds.
/// @param before_ms  time of the first SIGINT, by a monotonic clock
/// @param now_ms     time of the present one, by the same clock
bool is_second_request(std::int64_t before_ms, std::int64_t now_ms);

/// Turns signals into a request to stop, which the run checks between chunks of work. The signals
/// are SIGUSR1, SIGTERM, SIGINT, SIGHUP and SIGXCPU.
///
/// A second SIGINT, at least a tenth of a second later, ends the process immediately. SIGHUP
/// remains ignored if it was ignored before (nohup). SIGPIPE is ignored, so a run continues when
/// nobody reads its output any more.
///
/// The handlers are installed for the life of the object. An object that is created while another
/// one exists installs the handlers again, as a library may have replaced them. It keeps the
/// signals that were already received.
///
///   StopRequest const listening(true);
///   while (!done) {
///     advance();
///     if (!StopRequest::agreed(ranks).empty()) return write_checkpoint();
///   }
class StopRequest {
 public:
  /// @param announces  true: the first signal is confirmed immediately by a line on standard error
  explicit StopRequest(bool announces = false);
  ~StopRequest();  ///< restores the former handlers
  // Neither copyable nor movable: each object restores the handlers that it has replaced.
  StopRequest(StopRequest const&) = delete;
  StopRequest& operator=(StopRequest const&) = delete;

  /// Listens until the process ends. Call it before MPI starts, which takes some time. Signals that
  /// the launcher has blocked are unblocked, so a pending one is received as well.
  static void listen_from_now_on();

  /// Chooses the line that confirms a signal: whether a checkpoint will be written, or the run
  /// stops before it has written anything, as it does at first.
  static void promise_checkpoint(bool promised);
  /// Returns true if this process has received a signal.
  [[nodiscard]] static bool made();
  /// Returns the signal that was received first, "SIGTERM" for example; empty if there is none.
  [[nodiscard]] static std::string signal_name();
  /// Returns the name of a signal that any rank has received; empty if there is none. Collective:
  /// the result is the same on all ranks.
  [[nodiscard]] static std::string agreed(mpi::Communicator const& ranks);

 private:
  /// The signals that request a stop.
  static constexpr std::array handled{SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGXCPU};

  /// The handlers that the constructor replaced, in the order of `handled`. The destructor restores
  /// them.
  std::array<struct sigaction, handled.size()> former_{};
  struct sigaction former_pipe_ {};
};

}  // namespace isotherm
