#pragma once

#include <chrono>

namespace isotherm {

/// Adds the time between its construction and its destruction to a number of seconds. Neither
/// copyable nor movable.
///
///   double seconds = 0.0;
///   {
///     Stopwatch const stopwatch(seconds);
///     queue.wait();
///   }
///
/// @pre The number of seconds outlives the Stopwatch.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(Stopwatch const&) = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace isotherm
