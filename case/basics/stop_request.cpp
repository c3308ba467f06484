#include "case/basics/stop_request.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "case/basics/terminal.hpp"

namespace isotherm {

namespace {

constexpr int exit_by_interrupt = 128 + SIGINT;  // as shells report it
constexpr std::int64_t never = -1;
// Signals closer together are one request: `timeout -s INT` sends SIGINT to the process and to its
// group.
constexpr std::int64_t one_wish_ms = 100;

// State of the signal handler, which may run in any thread. Only lock-free atomics are
// async-signal-safe.
std::atomic<int> first_signal{0};                 // 0: none yet
std::atomic<std::int64_t> interrupted_ms{never};  // time of the first SIGINT
std::atomic<bool> speaks{false};                  // the first signal is announced
std::atomic<bool> on_terminal{false};             // standard error is a terminal
std::atomic<bool> iterates{false};                // a checkpoint will be written
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

int living = 0;  // number of StopRequest objects

/// Returns a signal's name. strsignal() is not async-signal-safe.
char const* name_of(int signal) {
  switch (signal) {
    case SIGUSR1:
      return "SIGUSR1";
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return "";
  }
}

/// Writes a text to standard error by a system call, as stdio is not async-signal-safe.
void write_to_stderr(char const* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    return;  // nothing can be done if standard error is closed
  }
}

/// Returns the time of a monotonic clock. clock_gettime() is async-signal-safe.
std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

/// The signal handler. It may only set flags, write, or end the process without cleaning up.
void handle_signal(int signal) {
  if (signal == SIGINT) {
    std::int64_t before = never;
    std::int64_t const now = now_ms();
    // The exchange succeeds for the first SIGINT only. Then `before` holds the time of the first
    // one.
    if (!interrupted_ms.compare_exchange_strong(before, now) && is_second_request(before, now)) {
      _exit(exit_by_interrupt);
    }
  }
  // Only the first signal is stored and announced.
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal) || !speaks) {
    return;
  }
  int const error = errno;  // the interrupted code must not see a changed errno
  write_to_stderr(on_terminal ? "\r\033[Kisotherm: " : "isotherm: ");  // overwrites a progress bar
  write_to_stderr(name_of(signal));
  write_to_stderr(iterates ? ": stopping after the current iterations, with a checkpoint"
                           : ": stopping; nothing has been written");
  write_to_stderr(signal == SIGINT ? "; press Ctrl-C again to stop immediately\n" : "\n");
  errno = error;
}

/// Returns true if a signal is currently ignored.
bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

bool is_second_request(std::int64_t before_ms, std::int64_t now_ms) {
  return now_ms - before_ms > one_wish_ms;
}

StopRequest::StopRequest(bool announces) {
  // No other object exists: signals that earlier objects received are forgotten.
  if (living++ == 0) {
    first_signal = 0;
    interrupted_ms = never;
  }
  // The handler reads these flags, so they are set before it is installed.
  on_terminal = takes_escapes(STDERR_FILENO);
  speaks = announces;
  // nohup ignores SIGHUP, and this must remain so.
  bool const keeps_terminal_out = is_ignored(SIGHUP);
  struct sigaction action {};
  // System calls of libraries are restarted, as not all of them handle EINTR.
  action.sa_flags = SA_RESTART;
  sigset_t signals;
  sigemptyset(&signals);
  for (std::size_t i = 0; i < handled.size(); ++i) {
    action.sa_handler = handled[i] == SIGHUP && keeps_terminal_out ? SIG_IGN : handle_signal;
    sigaction(handled[i], &action, &former_[i]);
    sigaddset(&signals, handled[i]);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &former_pipe_);
  // A launcher may have blocked the signals. Unblocking delivers pending ones now.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

StopRequest::~StopRequest() {
  --living;
  speaks = false;
  iterates = false;
  for (std::size_t i = 0; i < handled.size(); ++i) {
    sigaction(handled[i], &former_[i], nullptr);
  }
  sigaction(SIGPIPE, &former_pipe_, nullptr);
}

void StopRequest::listen_from_now_on() {
  // Never destroyed, so it also listens while the process exits.
  static StopRequest const* const for_ever = new StopRequest;
  (void)for_ever;
}

void StopRequest::promise_checkpoint(bool promised) { iterates = promised; }

bool StopRequest::made() { return first_signal != 0; }

std::string StopRequest::signal_name() { return name_of(first_signal); }

std::string StopRequest::agreed(mpi::Communicator const& ranks) {
  // If ranks received different signals, the one with the highest number is reported.
  return name_of(static_cast<int>(ranks.max(static_cast<double>(first_signal.load()))));
}

}  // namespace isotherm
