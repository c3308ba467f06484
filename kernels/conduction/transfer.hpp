#pragma once

#include "kernels/conduction/coarsening.hpp"

namespace isotherm {

/// The transfer between a grid and the next coarser one, which results from coarsening one axis
/// after the other, x first (kernels/conduction/coarsening.hpp).
///
/// The interpolation weights of an axis are stored at the points of the intermediate grid on which
/// that axis was coarsened. This grid is already coarse along the preceding axes, and still fine
/// along the following ones.
template <class Real>
struct HeterogeneousTransfer {
  int dimension = 3;
  Index3 fine_points{};    ///< numbers of points of the whole fine grid
  Index3 coarse_points{};  ///< numbers of points of the whole coarse grid
  bool periodic_x = false, periodic_y = false, periodic_z = false;
  bool coarsened_x = false, coarsened_y = false, coarsened_z = false;
  CoarsePointTable table_x{}, table_y{}, table_z{};  ///< none: the spacings are equal
  Index3 fine_first{};    ///< global index of the fine field's point (0, 0, 0)
  Index3 coarse_first{};  ///< global index of the coarse field's point (0, 0, 0)
  /// Global index of the weights' point 0 along axes that are coarse on the intermediate grid.
  Index3 between_first{};
  FieldView<Real const> weights_x, weights_y, weights_z;  ///< none if the axis is not coarsened

  /// Returns the C points and F points of an axis.
  [[nodiscard]] ISOTHERM_INLINE CoarseFineSplitting splitting_x() const {
    return {fine_points.x, periodic_x, table_x};
  }
  [[nodiscard]] ISOTHERM_INLINE CoarseFineSplitting splitting_y() const {
    return {fine_points.y, periodic_y, table_y};
  }
  [[nodiscard]] ISOTHERM_INLINE CoarseFineSplitting splitting_z() const {
    return {fine_points.z, periodic_z, table_z};
  }
};

/// Enqueues the restriction of a residual: coarse(p) = Σ w(q, p) fine(q) at the coarse points p of
/// `box`. w(q, p) is the weight that prolongation gives p at the fine point q.
///
/// Values are heat flows into the points' volumes, so the sum conserves heat.
/// @pre `fine` and the weights exist one point around the C points of the box, as far as the grid
///   extends.
/// @throws Error  if `coarse` does not cover the box
template <class Real>
void restrict_residual(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                       FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box);

/// Enqueues the prolongation of a correction: fine(q) += Σ w(q, p) coarse(p) at the fine points q
/// of `box`.
/// @pre `coarse` exists at the C points next to the points of the box.
/// @throws Error  if `fine` does not cover the box
template <class Real>
void prolongate_correction(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                           FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box);

}  // namespace isotherm
