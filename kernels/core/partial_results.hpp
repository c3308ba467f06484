#pragma once

#include <cstddef>

#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// Memory for the partial results of a reduction over points (reduce_points() in
/// kernels/core/for_each_point.hpp).
///
/// Results are copied between device and host as bytes, so Value must be trivially copyable.
/// @tparam Value  a result; the default one is neutral, and value.add(other) merges another one
template <class Value>
class PartialResults {
 public:
  /// Number of partial results. Each one belongs to every part_count-th row of points.
  static constexpr int part_count = 1024;

  /// Allocates the memory.
  /// @throws Error  if there is not enough
  explicit PartialResults(Queue& queue)
      : parts_(queue, Space::device, bytes), host_(queue, Space::pinned, bytes) {}

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend) {
    return Buffer::footprint(backend, Space::device, bytes) +
           Buffer::footprint(backend, Space::pinned, bytes);
  }

  /// Returns the partial results in the queue's memory.
  [[nodiscard]] Value* parts() const { return parts_.as<Value>(); }

  /// Waits for the queue and returns the merged results. The host merges them in a fixed order.
  [[nodiscard]] Value merged(Queue& queue) const {
    copy_bytes(queue, host_.data(), parts_.data(), bytes);
    queue.wait();
    Value all;
    for (int part = 0; part < part_count; ++part) all.add(host_.as<Value>()[part]);
    return all;
  }

 private:
  static constexpr std::size_t bytes = part_count * sizeof(Value);
  Buffer parts_;  ///< part_count results, in the memory of the backend
  Buffer host_;   ///< their copies on the host
};

}  // namespace isotherm
