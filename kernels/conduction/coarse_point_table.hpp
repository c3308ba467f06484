#pragma once

#include <vector>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// Owns the arrays of a CoarsePointTable, the coarse-point table of an axis with unequal spacings.
class CoarsePointTableMemory {
 public:
  CoarsePointTableMemory() = default;
  /// Copies the table to the memory of the queue's backend, and waits.
  /// @param points     number of points of the axis
  /// @param coarse_points  fine indices of the C points, ascending
  /// @throws Error  if two adjacent points are F points, or an end of the axis is one (the second
  ///   of only two points is allowed), or there are more than 2^31 − 1 points
  CoarsePointTableMemory(Queue& queue, std::int64_t points,
                         std::vector<std::int64_t> const& coarse_points);

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  /// @param points     number of points of the axis
  /// @param coarse_points  number of C points
  static std::size_t footprint(Backend backend, std::int64_t points, std::int64_t coarse_points);

  /// Returns the table, which is valid as long as this object exists.
  [[nodiscard]] CoarsePointTable table() const {
    return {coarse_.as<std::int32_t const>(), fine_.as<std::int32_t const>()};
  }

 private:
  Buffer coarse_{};  ///< CoarsePointTable::coarse, for each fine point
  Buffer fine_{};    ///< CoarsePointTable::fine, for each C point
};

}  // namespace isotherm
