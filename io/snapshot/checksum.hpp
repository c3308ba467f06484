#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "io/snapshot/block_grid.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/finite.hpp"

namespace isotherm {

/// What a row of values adds to the checksum of a field (docs/formats.md): the sum of a bijection
/// of each value's bits for each place in the file, so that no single wrong value goes unseen. The
/// multiplications are those of MurmurHash3's finaliser (Austin Appleby, 2011). The loop is one
/// that vector units take.
/// @param index  of the first value, x + nx (y + ny z)
template <class Stored>
std::uint64_t mixed_row(std::uint64_t index, Stored const* values, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t of_place = index * odd + odd;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t h = std::bit_cast<Bits>(values[i]) ^ of_place;
    of_place += odd;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
    sum += h ^ (h >> 33);
  }
  return sum;
}

/// What the values of `box` add to the checksum of a field of `points`. The checksum is the sum
/// over boxes that together are all points, in any order.
/// @param values  of the points of `box`, dense, x fastest
template <class Stored>
std::uint64_t checksum_of(Extent3 points, GlobalBox box, Stored const* values) {
  std::int64_t const n = box.upper.x - box.lower.x;
  std::uint64_t sum = 0;
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      auto const index = static_cast<std::uint64_t>(box.lower.x + points.x * (j + points.y * k));
      sum += mixed_row(index, values, n);
      values += n;
    }
  }
  return sum;
}

/// What is found in the values of a field, all or some of them, that are looked at once.
struct ValuesCheck {
  std::vector<std::uint64_t> blocks{};  ///< what they add to the checksum of each block
  bool finite = true;                   ///< none is infinite or not a number

  /// What they add to the checksum of the field.
  [[nodiscard]] std::uint64_t checksum() const {
    return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  }
};

/// Looks at values, part by part; several threads may do so side by side.
class SharedCheck {
 public:
  explicit SharedCheck(BlockGrid const& blocks)
      : blocks_(blocks), sums_(static_cast<std::size_t>(blocks.count())) {}

  /// @param values  of the points of `box`, dense, x fastest
  template <class Stored>
  void add(GlobalBox box, Stored const* values) {
    auto const count = static_cast<std::size_t>(box.point_count());
    if (!all_finite_here(std::span(values, count))) finite_ = false;
    blocks_.for_each_part(box, [&](std::int64_t block, GlobalBox part) {
      sums_[static_cast<std::size_t>(block)] += checksum_of(blocks_.points(), part, values);
      values += part.point_count();
    });
  }

  /// Of all values that were looked at.
  [[nodiscard]] ValuesCheck all() const { return {{sums_.begin(), sums_.end()}, finite_}; }

 private:
  BlockGrid blocks_;
  std::vector<std::atomic<std::uint64_t>> sums_;
  std::atomic<bool> finite_ = true;
};

}  // namespace isotherm
