#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Whether a SIGINT says something new after an earlier one: it may come twice at once, to a
/// process and to its group.
bool is_second_wish(std::int64_t before_ms, std::int64_t now_ms);

/// Turns SIGUSR1, SIGTERM, SIGINT, SIGHUP and SIGXCPU into a wish to stop that the run asks for
/// between chunks of work; a second SIGINT, a moment later, ends the process at once. SIGHUP stays
/// ignored where it is (nohup). SIGPIPE is ignored: a run goes on where nobody reads what it prints
/// any more.
///
/// For the life of the object. One made while another lives sets the handlers again, as a library
/// may have replaced them, and keeps what the other has heard.
class StopRequest {
 public:
  /// @param announces  the first signal is answered at once by a line on standard error
  explicit StopRequest(bool announces = false);
  ~StopRequest();  ///< puts the signals' former effect back
  StopRequest(StopRequest const&) = delete;
  StopRequest& operator=(StopRequest const&) = delete;

  /// Listens until the process ends. Called before MPI starts, which takes its time; a signal that
  /// the launcher has left blocked, and that is pending already, is heard as well.
  static void listen_from_now_on();

  /// True once a signal has reached this process.
  [[nodiscard]] static bool made();
  /// "SIGTERM" …, the signal that came first; empty before.
  [[nodiscard]] static std::string signal_name();
  /// The name of the signal that has reached this or another rank; empty where none has.
  /// Collective, the same on all ranks.
  [[nodiscard]] static std::string agreed(mpi::Communicator const& ranks);

 private:
  static constexpr std::array handled{SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGXCPU};

  std::array<struct sigaction, handled.size()> former_{};
  struct sigaction former_pipe_ {};
};

}  // namespace isotherm
