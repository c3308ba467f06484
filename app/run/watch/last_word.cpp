#include "app/run/watch/last_word.hpp"

#include <chrono>
#include <utility>

#include "case/basics/start_thread.hpp"
#include "case/basics/stop_request.hpp"

// Polling costs 20 wake-ups per second of a thread that otherwise sleeps.

namespace isotherm::app {

namespace {

constexpr std::chrono::milliseconds poll_interval{50};  // interval of polling for a signal
/// Time for the run to react, of the second that mpirun waits.
constexpr std::chrono::milliseconds for_the_run{300};

}  // namespace

StopTimeoutReport::StopTimeoutReport(std::function<void(std::string const&)> say)
    : say_(std::move(say)), thread_(start_thread([this] { listen(); })) {}

StopTimeoutReport::~StopTimeoutReport() {
  not_needed();
  thread_.join();
}

void StopTimeoutReport::not_needed() {
  {
    std::lock_guard const lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
}

/// Waits for a signal, then 0.3 s for the run's reaction, and calls say_ if there is none.
void StopTimeoutReport::listen() {
  auto const over = [this] { return over_; };
  std::unique_lock lock(mutex_);
  // A signal handler cannot notify a condition variable, so the flag is polled.
  while (!StopRequest::made()) {
    if (wake_.wait_for(lock, poll_interval, over)) return;
  }
  // The mutex is held during say_(), so not_needed() waits for its end.
  if (!wake_.wait_for(lock, for_the_run, over)) say_(StopRequest::signal_name());
}

}  // namespace isotherm::app
