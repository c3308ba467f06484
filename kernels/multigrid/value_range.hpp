#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/core/field.hpp"
#include "kernels/core/partial_results.hpp"

namespace isotherm {

/// The minimum and the maximum of a field's values.
struct ValueRange {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  /// Returns maximum − minimum, 0 if there are no values.
  [[nodiscard]] double width() const { return std::max(largest - smallest, 0.0); }
  /// Returns the maximum absolute value, 0 if there are no values.
  [[nodiscard]] double magnitude() const {
    return largest < smallest ? 0.0 : std::max(std::abs(smallest), std::abs(largest));
  }
  /// Extends the range to include a value.
  ISOTHERM_INLINE void add(double value) {
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  /// Extends the range to include another one.
  ISOTHERM_INLINE void add(ValueRange const& other) {
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
  }
};

/// Conductances from each point to the next one along each axis. A point takes part if at least one
/// of its conductances is not 0; otherwise it is isolated. Without fields, every point takes part.
template <class Real>
struct Links {
  FieldView<Real const> x{}, y{}, z{};  ///< z: none in 2D

  /// Returns true if any conductance of the point is nonzero.
  [[nodiscard]] ISOTHERM_INLINE bool takes_part(std::int64_t i, std::int64_t j,
                                                std::int64_t k) const {
    if (!x) return true;
    bool linked = x(i - 1, j, k) != Real{0} || x(i, j, k) != Real{0} || y(i, j - 1, k) != Real{0} ||
                  y(i, j, k) != Real{0};
    if (z) linked = linked || z(i, j, k - 1) != Real{0} || z(i, j, k) != Real{0};
    return linked;
  }
};

/// Determines the range of a field's values at the points of a box. Ranges cover one rank; the
/// caller merges those of other ranks.
class RangeMeter {
 public:
  explicit RangeMeter(Queue& queue) : partial_(queue) {}

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend) {
    return PartialResults<ValueRange>::footprint(backend);
  }

  /// Returns the range of this rank's values. Waits for the queue.
  /// @pre The values are finite.
  /// @param links  determines which points take part
  /// @throws Error  if the field does not cover the box
  template <class Real>
  [[nodiscard]] ValueRange measure(Queue& queue, FieldView<Real const> field, LocalBox box,
                                   Links<Real> const& links = {});

 private:
  PartialResults<ValueRange> partial_;
};

}  // namespace isotherm
