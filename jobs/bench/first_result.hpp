#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// All of a field's memory, halo and padding too.
template <class Real>
Real* memory_of(Field<Real>& field) {
  return field.view().origin - field.layout().origin;
}

/// What the first of several plans left in a field, for the others to be compared with.
class FirstResult {
 public:
  /// Whether `field` holds what the field that was asked about first held, bit for bit; true of
  /// that.
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
