#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/core/box.hpp"

namespace isotherm {

/// What one value adds to the checksum of a field (docs/formats.md): a bijection of its bits for
/// each place in the file, so that no single wrong value goes unseen. The multiplications are those
/// of MurmurHash3's finaliser (Austin Appleby, 2011).
/// @param index  x + nx (y + ny z)
template <class Stored>
std::uint64_t mixed(std::uint64_t index, Stored value) {
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t h = std::bit_cast<Bits>(value) ^ (index * odd + odd);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

/// What the values of `box` add to the checksum of a field of `points`. The checksum is the sum
/// over boxes that together are all points, in any order.
/// @param values  of the points of `box`, dense, x fastest
template <class Stored>
std::uint64_t checksum_of(Extent3 points, GlobalBox box, Stored const* values) {
  std::uint64_t sum = 0;
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      auto index = static_cast<std::uint64_t>(box.lower.x + points.x * (j + points.y * k));
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        sum += mixed(index++, *values++);
      }
    }
  }
  return sum;
}

}  // namespace isotherm
