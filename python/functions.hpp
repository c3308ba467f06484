#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <utility>

#include "python/in_memory/grid_function.hpp"

// Python functions as sources, initial values and boundary values. The solver calls them from its
// own threads, possibly on one rank only, and cannot propagate a Python exception. Therefore the
// exception is stored, and the function's values become NaN, which ends the work on all ranks. Then
// the exception is rethrown.

namespace isotherm {

/// Stores the first exception that a Python function raised within the solver. Thread-safe.
class PythonFault {
 public:
  /// Stores the current exception, unless one is stored already. To be called in a catch block.
  void keep() {
    std::lock_guard const lock(mutex_);
    failed_ = true;
    if (!fault_) fault_ = std::current_exception();
  }
  /// Returns true if a function has ever failed. The field may then contain NaN in place of its
  /// values.
  [[nodiscard]] bool has_failed() const { return failed_; }
  /// Throws the stored exception, if there is one, and clears it.
  void rethrow() {
    std::lock_guard const lock(mutex_);
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
  }
  /// Records a KeyboardInterrupt that reached a function by chance. The function is called again,
  /// and the solver stops at its next check for signals.
  void interrupt() { interrupted_ = true; }
  /// Returns true, once, if such an interrupt was recorded.
  bool take_interrupt() { return interrupted_.exchange(false); }

 private:
  std::mutex mutex_;          ///< guards fault_
  std::exception_ptr fault_;  ///< null if none is stored
  std::atomic<bool> failed_{false};
  std::atomic<bool> interrupted_{false};
};

/// Wraps a Python function for the solver. The function (time, lower, upper) returns the values of
/// a box of points as a float64 array, x fastest.
/// @param varies_in_time  true if the values depend on the time
/// @param fault           stores what the function raises; the values are NaN then
GivenFunction given_by(nanobind::callable const& function, bool varies_in_time,
                       std::shared_ptr<PythonFault> const& fault);

}  // namespace isotherm
