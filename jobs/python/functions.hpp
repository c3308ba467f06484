#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <utility>

#include "jobs/live/grid_function.hpp"

namespace isotherm {

/// What a function of Python's has thrown within work that cannot hand it on: the values it did not
/// give are not numbers, which ends that work on all ranks.
class PythonFault {
 public:
  void keep() {
    std::lock_guard const lock(mutex_);
    failed_ = true;
    if (!fault_) fault_ = std::current_exception();
  }
  /// Whether one has ever failed: the field may hold what it did not give.
  [[nodiscard]] bool has_failed() const { return failed_; }
  void rethrow() {
    std::lock_guard const lock(mutex_);
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
  }
  /// A signal's KeyboardInterrupt that a function met by chance: the function is called again, and
  /// the solver stops where it looks at signals.
  void interrupt() { interrupted_ = true; }
  bool take_interrupt() { return interrupted_.exchange(false); }

 private:
  std::mutex mutex_;
  std::exception_ptr fault_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> interrupted_{false};
};

/// What the solver calls for a function of Python's: (time, lower, upper) gives the values of a box
/// of points. What that throws `fault` keeps.
GivenFunction given_by(nanobind::callable const& function, bool varies_in_time,
                       std::shared_ptr<PythonFault> const& fault);

}  // namespace isotherm
