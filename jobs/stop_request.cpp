#include "jobs/stop_request.hpp"

#include <array>
#include <csignal>
#include <unistd.h>

namespace isotherm {

namespace {

constexpr std::array handled{SIGUSR1, SIGTERM, SIGINT};
constexpr int exit_by_interrupt = 128 + SIGINT;

volatile std::sig_atomic_t last_signal = 0;
std::array<struct sigaction, handled.size()> former{};
struct sigaction former_pipe {};

/// Only what a signal handler may do: set a flag, or end the process without cleaning up.
void remember(int signal) {
  if (signal == SIGINT && last_signal == SIGINT) {
    _exit(exit_by_interrupt);
  }
  last_signal = signal;
}

}  // namespace

StopRequest::StopRequest() {
  last_signal = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < handled.size(); ++i) {
    sigaction(handled[i], &action, &former[i]);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &former_pipe);
}

StopRequest::~StopRequest() {
  for (std::size_t i = 0; i < handled.size(); ++i) {
    sigaction(handled[i], &former[i], nullptr);
  }
  sigaction(SIGPIPE, &former_pipe, nullptr);
}

bool StopRequest::made() { return last_signal != 0; }

char const* StopRequest::signal_name() {
  switch (last_signal) {
    case SIGUSR1:
      return "SIGUSR1";
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    default:
      return "";
  }
}

}  // namespace isotherm
