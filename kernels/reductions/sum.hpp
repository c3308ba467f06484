#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/queue/kernel_form.hpp"
#include "kernels/core/queue/memory.hpp"

// The sum of an array by several forms of a reduction, from the naive one to that of CUB. They
// differ in speed and, because they add in different orders, in rounding.
//
// The tree forms follow M. Harris, Optimizing parallel reduction in CUDA, NVIDIA (2007).

namespace isotherm {

/// Returns all forms of a backend, the naive ones first.
std::vector<KernelForm> sum_forms(Backend backend);

/// Adds up arrays of float32 numbers by one form.
///
///   Sum sum(queue, "shuffle-8", n);
///   sum.add_up(values);              // enqueues; `values` lies in the memory of the queue
///   double const total = sum.read();
class Sum {
 public:
  /// Allocates the working memory. `queue` must outlive the object.
  /// @param count  numbers of each array, from 1 to 2³¹ − 1
  /// @throws Error  if the backend has no such form or the memory is exhausted
  Sum(Queue& queue, std::string const& form, std::int64_t count);

  /// Returns an upper bound on the bytes that a Sum allocates in the memory of a backend.
  static std::size_t footprint(Backend backend, std::int64_t count);

  /// Enqueues adding up `count` numbers.
  void add_up(float const* values);
  /// Waits, and returns the last sum.
  [[nodiscard]] double read();

 private:
  Queue* queue_;
  std::size_t form_;  ///< number in sum_forms()
  std::int64_t count_;
  Buffer work_;    ///< partial sums
  Buffer result_;  ///< a double
};

}  // namespace isotherm
