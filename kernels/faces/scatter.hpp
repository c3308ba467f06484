#pragma once

#include <span>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// A box of points whose values form a section of a dense array, x fastest.
struct DensePart {
  LocalBox box;
  std::int64_t begin = 0;  ///< index in the array of the box's first value
};

/// The layout of a dense array that holds the values of many boxes, one box after another.
///
///     PartTable const table(queue, boxes);               // for example, one box per rank
///     scatter(queue, table, 0, table.value_count(), values, field.view());
class PartTable {
 public:
  /// Computes where each box's values begin, and copies the table to the queue's device. Waits for
  /// the queue.
  /// @param boxes  in the order of the array; empty boxes have no values
  PartTable(Queue& queue, std::vector<LocalBox> const& boxes);

  /// Returns an upper bound on its device memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t box_count);

  /// Returns the number of values of all boxes.
  [[nodiscard]] std::int64_t value_count() const { return value_count_; }
  /// Returns the boxes that are not empty, in the order of the array, in host memory.
  [[nodiscard]] std::span<DensePart const> parts() const { return parts_; }
  /// Returns the same list in the device's memory, null on the CPU.
  [[nodiscard]] DensePart const* on_device() const { return copy_.as<DensePart const>(); }

 private:
  std::vector<DensePart> parts_;
  std::int64_t value_count_ = 0;
  Buffer copy_{};  ///< empty on the CPU
};

/// Enqueues scattering: copies the values first … last − 1 of the array to their points in `field`,
/// by a single kernel launch on CUDA.
/// @param values  the value number `first`, in the queue's memory
/// @pre  No point belongs to two boxes.
/// @throws Error  if the range is not within the array, or the field does not cover a box
template <class Real>
void scatter(Queue& queue, PartTable const& table, std::int64_t first, std::int64_t last,
             Real const* values, FieldView<Real> field);

}  // namespace isotherm
