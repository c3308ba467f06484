#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Weights of the points around a point, which need not be a product of one-dimensional weights.
/// Stored as planes of rows, from the smallest z and y; two-dimensional tables have one plane.
struct WeightTable {
  Extent3 extent{};            ///< weights per row, rows per plane, planes: odd numbers
  std::vector<double> values;  ///< x fastest

  static constexpr int maximum = 63;  ///< maximum number of weights along an axis
  static constexpr std::int64_t max_weights = std::int64_t{maximum} * maximum;

  /// Returns how many points the table reaches on each side of an axis.
  [[nodiscard]] Index3 reach() const { return {extent.x / 2, extent.y / 2, extent.z / 2}; }
};

/// Returns true if a table may have this many weights along an axis.
constexpr bool is_odd_and_fits(std::int64_t count) {
  return count > 0 && count % 2 == 1 && count <= WeightTable::maximum;
}

/// Returns true if a table may have this extent.
constexpr bool is_table(Extent3 extent) {
  return is_odd_and_fits(extent.x) && is_odd_and_fits(extent.y) && is_odd_and_fits(extent.z) &&
         extent.x * extent.y * extent.z <= WeightTable::max_weights;
}

/// Enqueues a correlation with a table of weights: to(p) = Σ table(m) · from(p + m) for the points
/// p of `box`. m is counted from the middle of the table. (A convolution would have p − m.)
///
/// The sum is computed in the field's precision in the order of the weights. It has the same bits
/// on every backend. On CUDA the call waits for the work to end.
/// @throws Error  if the table is invalid, see is_table(), or a field does not cover the accessed
///   points
template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
               WeightTable const& table);

}  // namespace isotherm
