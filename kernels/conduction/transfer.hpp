#pragma once

#include "kernels/conduction/coarsening.hpp"

namespace isotherm {

/// The way between a grid and the coarser one that its axes' coarsenings in turn, x first, have
/// made of it. Between two axes the grid is coarse along those before and fine along those behind;
/// the weights of an axis' omitted points lie on the grid that it was coarsened on.
template <class Real>
struct FlowTransfer {
  int dimension = 3;
  Index3 fine_points{};    ///< of the whole grid
  Index3 coarse_points{};  ///< and of the coarse one
  bool periodic_x = false, periodic_y = false, periodic_z = false;
  bool coarsened_x = false, coarsened_y = false, coarsened_z = false;
  OmissionTable table_x{}, table_y{}, table_z{};  ///< none: every second point remains
  Index3 fine_first{};     ///< global index of the fine field's point (0, 0, 0)
  Index3 between_first{};  ///< of that of the fields of weights, along axes that are coarse there
  Index3 coarse_first{};   ///< of that of the coarse field
  FieldView<Real const> weights_x, weights_y, weights_z;

  [[nodiscard]] ISOTHERM_INLINE Omission omission_x() const {
    return {fine_points.x, periodic_x, table_x};
  }
  [[nodiscard]] ISOTHERM_INLINE Omission omission_y() const {
    return {fine_points.y, periodic_y, table_y};
  }
  [[nodiscard]] ISOTHERM_INLINE Omission omission_z() const {
    return {fine_points.z, periodic_z, table_z};
  }
};

/// Enqueues coarse(p) = the sum of the fine points' values, each times what p counts in it, at the
/// coarse points of `box`.
template <class Real>
void gather_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box);

/// Enqueues fine(p) += what the weights make of the coarse values, at the fine points of `box`.
template <class Real>
void spread_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box);

}  // namespace isotherm
