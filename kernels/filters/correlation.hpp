#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Weights of the points around one, which need not be products of one along each axis: planes of
/// rows, those of the smallest z and y first. In a plane there is one of these.
struct WeightTable {
  Extent3 extent{};            ///< weights in a row, rows in a plane, planes: odd numbers
  std::vector<double> values;  ///< x fastest

  static constexpr int most = 63;  ///< along an axis
  static constexpr std::int64_t most_in_all = std::int64_t{most} * most;

  /// Points that are reached to each side.
  [[nodiscard]] Index3 reach() const { return {extent.x / 2, extent.y / 2, extent.z / 2}; }
};

/// Whether there may be so many weights along an axis.
constexpr bool is_odd_and_fits(std::int64_t count) {
  return count > 0 && count % 2 == 1 && count <= WeightTable::most;
}

/// Whether a table may be of such an extent.
constexpr bool is_table(Extent3 extent) {
  return is_odd_and_fits(extent.x) && is_odd_and_fits(extent.y) && is_odd_and_fits(extent.z) &&
         extent.x * extent.y * extent.z <= WeightTable::most_in_all;
}

/// Enqueues to(p) = Σ table(m) · from(p + m) for the points p of `box`, m being counted from the
/// middle of the table: what is called a correlation (in a convolution p − m stands there). `from`
/// has the points that this reaches. The sum is taken in the field's precision, in the order of the
/// weights, and is bit-equal on every backend. On CUDA the call waits for the work to end.
/// @throws Error  where the table is none, see is_table()
template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
               WeightTable const& table);

}  // namespace isotherm
