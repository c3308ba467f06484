#pragma once

#include <cstddef>
#include <limits>

#include "kernels/core/box.hpp"

namespace isotherm {

/// Stands for all numbers of bytes that std::size_t cannot hold. No memory has so many, so what
/// needs them fits nowhere.
constexpr std::size_t uncountable_bytes = std::numeric_limits<std::size_t>::max();

/// `count` things of so many bytes each; uncountable_bytes where there are more.
constexpr std::size_t bytes_in_all(std::size_t count, std::size_t bytes) {
  return bytes != 0 && count > uncountable_bytes / bytes ? uncountable_bytes : count * bytes;
}

/// The sum; uncountable_bytes where there are more.
constexpr std::size_t sum_of_bytes(std::size_t a, std::size_t b) {
  return a > uncountable_bytes - b ? uncountable_bytes : a + b;
}

/// True of parts of a grid of which no memory holds a field: 2 PiB in float64. The bytes of all
/// that belongs to a smaller one can be counted.
template <class Frame>
constexpr bool exceeds_any_memory(Box<Frame> const& box) {
  constexpr double most_points = 0x1p48;
  Extent3 const n = box.extent();
  return static_cast<double>(n.x) * static_cast<double>(n.y) * static_cast<double>(n.z) >
         most_points;
}

}  // namespace isotherm
