#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/core/box.hpp"

namespace isotherm {

/// A set of the grid's points, as a predicate on global indices; a default-constructed one is
/// empty. It must be callable from several threads at the same time.
using PointSet = std::function<bool(Index3 global)>;

/// The share of each point's volume that counts, between 0 and 1.
using PointShare = std::function<double(Index3 global)>;

/// Flags of the points of a box: which of them belong to a set. The flags of an empty set take no
/// memory.
///
///     PointMask const excluded(subdomain.owned_global(), excluded_points(problem));
///     if (!excluded[i]) maximum = std::max(maximum, values[i]);
class PointMask {
 public:
  PointMask() = default;
  /// Evaluates the set and the shares at all points of the box, on all threads.
  /// @param shares  none: 0 in the set, and else 1
  PointMask(GlobalBox const& box, PointSet const& set, PointShare const& shares = {});

  /// True if the point at position `index` of the box, x fastest, belongs to the set.
  bool operator[](std::size_t index) const { return !flags_.empty() && flags_[index] != 0; }
  /// Returns the share of the volume of the point at position `index`, a factor of its weight.
  [[nodiscard]] double share(std::size_t index) const {
    if (shares_.empty()) return (*this)[index] ? 0.0 : 1.0;
    return static_cast<double>(shares_[index]);
  }
  /// Returns an upper bound on the bytes of a mask.
  static std::size_t bytes(std::size_t points, bool has_shares) {
    return points * (has_shares ? 1 + sizeof(float) : 1);
  }
  /// True if the mask was made from an empty set.
  [[nodiscard]] bool empty() const { return flags_.empty(); }

 private:
  std::vector<std::uint8_t> flags_{};
  std::vector<float> shares_{};
};

}  // namespace isotherm
