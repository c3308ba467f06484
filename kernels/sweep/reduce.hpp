#pragma once

#include "kernels/core/memory.hpp"

namespace isotherm {

/// Norms of a step's change over some points, as accumulated by a sweep: the largest |after −
/// before| and Σ (after − before)². The maximum is exact, and so equal on every backend, plan and
/// rank count; the sum is taken in float64 in no fixed order and may differ in its last bits.
struct Change {
  double largest = 0.0;
  double sum_of_squares = 0.0;
};

/// Norm accumulators that the host reads later, without making the device wait.
///
/// clear → sweeps with pass.change = device() → fetch → (other work) → read.
class ChangeReader {
 public:
  /// @param most  accumulators, one behind the other
  explicit ChangeReader(Queue& queue, int most = 1);

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend, int most);

  /// The accumulators, in the queue's memory.
  [[nodiscard]] Change* device() const { return device_.as<Change>(); }
  /// Enqueues setting the first `count` accumulators to zero.
  void clear(Queue& queue, int count = 1);
  /// Enqueues the copy of the first `count` to the host.
  void fetch(Queue& queue, int count = 1);
  /// Waits until the last fetch has ended, then returns accumulator `i` of those it brought.
  [[nodiscard]] Change read(int i = 0) const;

 private:
  Buffer device_;
  Buffer host_;
  Event fetched_;
};

}  // namespace isotherm
