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

/// Flags of the points of a box: which of them belong to a set. The flags of an empty set take no
/// memory.
///
///     PointMask const excluded(subdomain.owned_global(), excluded_points(problem));
///     if (!excluded[i]) maximum = std::max(maximum, values[i]);
class PointMask {
 public:
  PointMask() = default;
  /// Evaluates the set at all points of the box, on all threads.
  PointMask(GlobalBox const& box, PointSet const& set);

  /// True if the point at position `index` of the box, x fastest, belongs to the set.
  bool operator[](std::size_t index) const { return !flags_.empty() && flags_[index] != 0; }
  /// True if the mask was made from an empty set.
  [[nodiscard]] bool empty() const { return flags_.empty(); }

 private:
  std::vector<std::uint8_t> flags_{};
};

}  // namespace isotherm
