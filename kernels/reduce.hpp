#pragma once

#include "kernels/memory.hpp"

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
  explicit ChangeReader(Queue& queue);

  /// The accumulators, in the queue's memory.
  [[nodiscard]] Change* device() const { return device_.as<Change>(); }
  /// Enqueues setting the accumulators to zero.
  void clear(Queue& queue);
  /// Enqueues the copy to the host.
  void fetch(Queue& queue);
  /// Waits until the last fetch has ended, then returns what it brought.
  [[nodiscard]] Change read() const;

 private:
  Buffer device_;
  Buffer host_;
  Mark fetched_;
};

}  // namespace isotherm
