#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace isotherm {

/// A thread that does one piece of work at a time, while the one that gave it goes on.
class Background {
 public:
  /// @param threads  that the work may have for itself: what cpu_threads() says there
  explicit Background(int threads);
  /// Waits for the work in hand.
  ~Background();
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  /// @param work  must not throw. @throws Error  where busy()
  void start(std::function<void()> work);
  /// True until the work in hand is done; what it wrote is then to be seen.
  [[nodiscard]] bool busy() const;
  /// Returns when it is done, or after so many seconds: true where it is done.
  bool wait(double most_s) const;

 private:
  void serve();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::function<void()> work_{};  ///< none: nothing in hand
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace isotherm
