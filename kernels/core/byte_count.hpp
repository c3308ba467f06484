#pragma once

#include <cstddef>
#include <limits>

#include "kernels/core/box.hpp"

namespace isotherm {

/// Represents all numbers of bytes that std::size_t cannot hold. No machine has that much memory,
/// so an allocation of this size always fails.
constexpr std::size_t uncountable_bytes = std::numeric_limits<std::size_t>::max();

/// Returns `count` * `bytes`, or uncountable_bytes if the product overflows.
constexpr std::size_t product_of_bytes(std::size_t count, std::size_t bytes) {
  return bytes != 0 && count > uncountable_bytes / bytes ? uncountable_bytes : count * bytes;
}

/// Returns a + b, or uncountable_bytes if the sum overflows.
constexpr std::size_t sum_of_bytes(std::size_t a, std::size_t b) {
  return a > uncountable_bytes - b ? uncountable_bytes : a + b;
}

/// Returns true if a field on `box` exceeds the memory of any machine: more than 2^48 points, which
/// are 2 PiB in float64. The byte counts of smaller problems do not overflow. The product is
/// computed in float64, so it cannot overflow.
template <class Frame>
constexpr bool exceeds_any_memory(Box<Frame> const& box) {
  constexpr double max_points = 0x1p48;
  Extent3 const n = box.extent();
  return static_cast<double>(n.x) * static_cast<double>(n.y) * static_cast<double>(n.z) >
         max_points;
}

}  // namespace isotherm
