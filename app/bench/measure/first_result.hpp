#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Returns the whole memory of a field, with halo and padding.
template <class Real>
Real* memory_of(Field<Real>& field) {
  return field.view().origin - field.layout().origin;
}

/// Stores the result of the first of several plans, to compare the others with it.
///
///     FirstResult first;
///     for (std::string const& plan : plans) {
///       compute(plan, field);
///       bool const equal = first.is_equal_to(queue, field);
///     }
class FirstResult {
 public:
  /// Returns whether `field` has the same bits as the field of the first call. The first call
  /// returns true.
  template <class Real>
  bool is_equal_to(Queue& queue, Field<Real>& field) {
    std::vector<std::byte> result(field.bytes());
    copy_bytes(queue, result.data(), memory_of(field), result.size());
    queue.wait();
    if (first_.empty()) first_ = result;
    return result == first_;
  }

 private:
  std::vector<std::byte> first_;
};

}  // namespace isotherm
