#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

// Work in the background: while the main thread computes, one thread of its own writes a field to
// disk.

namespace isotherm::app {

/// A thread that executes one function at a time, concurrently with the thread that started it.
///
///   Background background(1);
///   background.start([&] { write_file(); });
///   while (background.busy()) compute();
///
/// start(), busy() and wait() are called by the owner's thread. The mutex makes all writes of a
/// finished function visible to a thread that sees busy() == false. The thread blocks all signals,
/// so they are delivered to other threads. No member is collective.
class Background {
 public:
  /// Starts the thread, which then sleeps until start().
  /// @param threads  number of CPU threads that the work may use; cpu_threads() returns it within
  ///                 the work
  /// @throws Error  if the system cannot start another thread
  explicit Background(int threads);
  /// Waits until the current work is done, then joins the thread.
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  /// Starts `work` and returns immediately.
  /// @param work  must not throw
  /// @throws Error  if busy()
  void start(std::function<void()> work);
  /// Returns true until the current work is done. Its results are visible once this returns false.
  [[nodiscard]] bool busy() const;
  /// Waits for the current work, but not longer than `max_s` seconds.
  /// @return  true if no work is left
  bool wait(double max_s) const;

 private:
  /// The loop of the thread.
  void serve();

  mutable std::mutex mutex_;  ///< guards work_ and ends_
  /// Notified when work begins or ends, and at destruction.
  mutable std::condition_variable changed_;
  std::function<void()> work_{};  ///< empty if idle
  bool ends_ = false;             ///< the thread returns as soon as it is idle
  std::thread thread_;
};

}  // namespace isotherm::app
