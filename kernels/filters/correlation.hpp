#pragma once

#include <vector>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Weights of the points around one in a plane, which need not be products of one along x and one
/// along y: rows of a width, the row of the smallest y first. Width and height are odd.
struct WeightTable {
  int width = 0;
  int height = 0;
  std::vector<double> values;  ///< row by row

  static constexpr int most = 63;  ///< a row's weights, and rows
};

/// Enqueues to(p) = Σ table(m, n) · from(p + (m, n, 0)) for the points p of `box`, m and n being
/// counted from the middle of the table: what is called a correlation (in a convolution p − (m, n,
/// 0) stands there). `from` has the points that this reaches. The sum is taken in the field's
/// precision, row by row, and is bit-equal on every backend. On CUDA the call waits for the work to
/// end.
/// @throws Error  where the table is not odd, or larger than WeightTable::most
template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
               WeightTable const& table);

}  // namespace isotherm
