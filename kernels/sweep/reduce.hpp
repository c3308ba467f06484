#pragma once

#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// Norms of the change that a step makes: the maximum norm max |after − before| and the sum of
/// squares Σ (after − before)², over some points.
///
/// The maximum is exact, hence equal for every backend, plan and number of ranks. The sum is
/// accumulated in float64 in no fixed order, so its last bits may differ.
struct Change {
  double largest = 0.0;         ///< max |after − before|
  double sum_of_squares = 0.0;  ///< Σ (after − before)²
};

/// Norm accumulators that the host reads later, without blocking the device.
///
///   reader.clear(queue);
///   pass.change = reader.device();
///   sweep(queue, rule, pass, plan);
///   reader.fetch(queue);
///   …                                // other work overlaps the copy
///   Change const change = reader.read();
class ChangeReader {
 public:
  /// @param maximum  number of accumulators, which are contiguous in memory
  /// @throws Error  if there is not enough memory
  explicit ChangeReader(Queue& queue, int maximum = 1);

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, int maximum);

  /// Returns the accumulators in the queue's memory.
  [[nodiscard]] Change* device() const { return device_.as<Change>(); }
  /// Enqueues setting the first `count` accumulators to zero.
  void clear(Queue& queue, int count = 1);
  /// Enqueues copying the first `count` accumulators to the host.
  void fetch(Queue& queue, int count = 1);
  /// Waits for the last fetch and returns accumulator `i` of those that it copied.
  [[nodiscard]] Change read(int i = 0) const;

 private:
  Buffer device_;  ///< the accumulators
  Buffer host_;    ///< their copies on the host
  Event fetched_;  ///< the end of the last fetch()
};

}  // namespace isotherm
