#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "io/snapshot/checks/block_grid.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/finite.hpp"

/// The checksum of a field's values (docs/reference/formats.md), independent of decomposition,
/// threads and compression.

namespace isotherm {

/// Returns the contribution of a row of values to the checksum of a field
/// (docs/reference/formats.md): Σ h(i, b) over the row, modulo 2^64.
///
/// For each place i in the file, h(i, ·) is a bijection of the value's bits b. So every single
/// wrong value changes the checksum. h is the finaliser of MurmurHash3 (Austin Appleby, 2011)
/// applied to b xor (i k + k), with the odd constant k. The loop has no dependency but the sum, so
/// compilers can vectorise it.
/// @param index  i of the first value: x + nx (y + ny z)
template <class Stored>
std::uint64_t mixed_row(std::uint64_t index, Stored const* values, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  // i k + k, advanced by k from value to value.
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

/// Returns the contribution of the values of `box` to the checksum of a field of `points`. The
/// checksum is the sum over boxes that together are all points, in any order.
/// @param values  at the points of `box`, dense, x fastest
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

/// The result of checking all or some values of a field.
struct ValuesCheck {
  std::vector<std::uint64_t> blocks{};  ///< contributions to the checksum of each block
  bool finite = true;                   ///< no value is infinite or NaN

  /// Returns the contribution to the checksum of the field.
  [[nodiscard]] std::uint64_t checksum() const {
    return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  }
};

/// Accumulates the checksums of values that are checked part by part. Several threads may add parts
/// concurrently: the sums are atomic, and their order does not matter.
class SharedCheck {
 public:
  /// Starts with all sums at 0.
  explicit SharedCheck(BlockGrid const& blocks)
      : blocks_(blocks), sums_(static_cast<std::size_t>(blocks.count())) {}

  /// Adds the values of a box. @param values  at the points of `box`, dense, x fastest
  template <class Stored>
  void add(GlobalBox box, Stored const* values) {
    auto const count = static_cast<std::size_t>(box.point_count());
    if (!all_finite_here(std::span(values, count))) finite_ = false;
    blocks_.for_each_part(box, [&](std::int64_t block, GlobalBox part) {
      sums_[static_cast<std::size_t>(block)] += checksum_of(blocks_.points(), part, values);
      values += part.point_count();
    });
  }

  /// Returns the result for all values that were added. @pre no thread is adding any more
  [[nodiscard]] ValuesCheck all() const { return {{sums_.begin(), sums_.end()}, finite_}; }

 private:
  BlockGrid blocks_;
  std::vector<std::atomic<std::uint64_t>> sums_;
  std::atomic<bool> finite_ = true;
};

}  // namespace isotherm
