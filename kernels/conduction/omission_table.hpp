#pragma once

#include <vector>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// The memory of an OmissionTable.
class OmissionLists {
 public:
  OmissionLists() = default;
  /// @param points     of the axis
  /// @param remaining  of them, ascending: both ends, of two points the first, and of neighbours
  ///                   inside one at least
  /// Waits.
  OmissionLists(Queue& queue, std::int64_t points, std::vector<std::int64_t> const& remaining);

  /// Bytes that they take at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::int64_t points, std::int64_t remaining);

  [[nodiscard]] OmissionTable table() const {
    return {coarse_.as<std::int32_t const>(), fine_.as<std::int32_t const>()};
  }

 private:
  Buffer coarse_{};
  Buffer fine_{};
};

}  // namespace isotherm
