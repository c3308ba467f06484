#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

// A launcher such as mpirun kills the ranks approximately a second after it forwards a signal. If
// the run is still busy then, its iteration would not be recorded. This thread records it in time.

namespace isotherm::app {

/// Calls a function if a request to stop arrived and the run does not handle it in time.
///
/// That happens if the current work takes longer than the launcher waits before it kills the ranks.
/// It also happens if the run waits for another rank that has ended. The run has 0.3 s to react.
///
///   StopTimeoutReport report([&](std::string const& signal) { write_summary(signal); });
///   …
///   last_word.not_needed();
class StopTimeoutReport {
 public:
  /// @param say  is called with the signal's name in a thread of its own, at most once. It must
  ///             neither throw nor communicate with other ranks
  explicit StopTimeoutReport(std::function<void(std::string const& signal)> say);
  /// Ends the thread; a call of `say` that has begun is finished first.
  ~StopTimeoutReport();
  StopTimeoutReport(StopTimeoutReport const&) = delete;
  StopTimeoutReport& operator=(StopTimeoutReport const&) = delete;

  /// Cancels the call: the run reports for itself from now on. When this returns, `say` is not
  /// running and will not be called.
  void not_needed();

 private:
  /// The loop of the thread.
  void listen();

  std::function<void(std::string const&)> say_;
  std::mutex mutex_;  ///< guards over_; held while say_ runs
  std::condition_variable wake_;
  bool over_ = false;  ///< not_needed() was called
  std::thread thread_;
};

}  // namespace isotherm::app
