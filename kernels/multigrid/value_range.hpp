#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/core/field.hpp"
#include "kernels/core/memory.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// The smallest and the largest value of a field.
struct ValueRange {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  /// 0 if there is no value.
  [[nodiscard]] double width() const { return std::max(largest - smallest, 0.0); }
  /// The largest absolute value; 0 if there is no value.
  [[nodiscard]] double magnitude() const {
    return largest < smallest ? 0.0 : std::max(std::abs(smallest), std::abs(largest));
  }
  ISOTHERM_INLINE void add(double value) {
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  ISOTHERM_INLINE void add(ValueRange const& other) {
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
  }
};

/// The conductances from each point to the next one along each axis, which tell the points that
/// take part from the insulated ones: those all of whose conductances are 0. Without fields every
/// point takes part.
template <class Real>
struct Links {
  FieldView<Real const> x{}, y{}, z{};  ///< z: none in 2D

  [[nodiscard]] ISOTHERM_INLINE bool takes_part(std::int64_t i, std::int64_t j,
                                                std::int64_t k) const {
    if (!x) return true;
    bool linked = x(i - 1, j, k) != Real{0} || x(i, j, k) != Real{0} || y(i, j - 1, k) != Real{0} ||
                  y(i, j, k) != Real{0};
    if (z) linked = linked || z(i, j, k - 1) != Real{0} || z(i, j, k) != Real{0};
    return linked;
  }
};

/// Finds the range of the values at points of a box.
class RangeMeter {
 public:
  explicit RangeMeter(Queue& queue);

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Of this rank's values, which are finite; waits.
  /// @param links  which of the points take part
  template <class Real>
  [[nodiscard]] ValueRange measure(Queue& queue, FieldView<Real const> field, LocalBox box,
                                   Links<Real> const& links = {});

  /// The number of partial results.
  static constexpr int part_count = 1024;

 private:
  Buffer parts_;
  Buffer host_;
};

}  // namespace isotherm
