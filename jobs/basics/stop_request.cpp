#include "jobs/basics/stop_request.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "jobs/basics/terminal.hpp"

namespace isotherm {

namespace {

constexpr int exit_by_interrupt = 128 + SIGINT;
constexpr std::int64_t never = -1;
constexpr std::int64_t one_wish_ms = 100;  // `timeout -s INT` sends it twice, to process and group

// What a signal handler may touch, in whatever thread it runs.
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> interrupted_ms{never};
std::atomic<bool> speaks{false};
std::atomic<bool> on_terminal{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

int living = 0;

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

void say(char const* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    return;  // nobody hears it; there is nothing to be done about that here
  }
}

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

/// Only what a signal handler may do: set flags, write, or end the process without cleaning up.
void remember(int signal) {
  if (signal == SIGINT) {
    std::int64_t before = never;
    std::int64_t const now = now_ms();
    if (!interrupted_ms.compare_exchange_strong(before, now) && is_second_wish(before, now)) {
      _exit(exit_by_interrupt);
    }
  }
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal) || !speaks) {
    return;
  }
  int const error = errno;                                 // of what the signal came between
  say(on_terminal ? "\r\033[Kisotherm: " : "isotherm: ");  // over a bar
  say(name_of(signal));
  say(": stopping after the work in hand, with a checkpoint");
  say(signal == SIGINT ? "; Ctrl-C again ends at once\n" : "\n");
  errno = error;
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

bool is_second_wish(std::int64_t before_ms, std::int64_t now_ms) {
  return now_ms - before_ms > one_wish_ms;
}

StopRequest::StopRequest(bool announces) {
  if (living++ == 0) {
    first_signal = 0;
    interrupted_ms = never;
  }
  on_terminal = takes_escapes(STDERR_FILENO);
  speaks = announces;
  bool const keeps_terminal_out = is_ignored(SIGHUP);
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigset_t signals;
  sigemptyset(&signals);
  for (std::size_t i = 0; i < handled.size(); ++i) {
    action.sa_handler = handled[i] == SIGHUP && keeps_terminal_out ? SIG_IGN : remember;
    sigaction(handled[i], &action, &former_[i]);
    sigaddset(&signals, handled[i]);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &former_pipe_);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

StopRequest::~StopRequest() {
  --living;
  speaks = false;
  for (std::size_t i = 0; i < handled.size(); ++i) {
    sigaction(handled[i], &former_[i], nullptr);
  }
  sigaction(SIGPIPE, &former_pipe_, nullptr);
}

void StopRequest::listen_from_now_on() {
  static StopRequest const* const for_ever = new StopRequest;  // also while the process is ending
  (void)for_ever;
}

bool StopRequest::made() { return first_signal != 0; }

std::string StopRequest::signal_name() { return name_of(first_signal); }

std::string StopRequest::agreed(mpi::Communicator const& ranks) {
  return name_of(static_cast<int>(ranks.max(static_cast<double>(first_signal.load()))));
}

}  // namespace isotherm
