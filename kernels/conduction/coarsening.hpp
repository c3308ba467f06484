#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"

// A body's grid is coarsened along one axis at a time, by leaving out every second point: those of
// odd index. The flow tells what an omitted point's value is, between those of its neighbours on
// the axis: weights in proportion to its conductances to them. By the same weights what is absorbed
// at it, and what it conducts across the axis, goes to them; along the axis its two conductances
// act in series. So an operator of nearest neighbours remains one, whatever the conductances are
// (R. Alcouffe, A. Brandt, J. Dendy and J. Painter, 1981, have such weights in all directions).

namespace isotherm {

/// An operator of a correction, in fields: conductances to the next points, of which that along x
/// has the sign of a point that keeps its value, which is zero there; and what is absorbed.
template <class Real>
struct FlowFields {
  FieldView<Real> x, y, z;  ///< z: none in 2D
  FieldView<Real> absorption;

  [[nodiscard]] ISOTHERM_INLINE FieldView<Real> const& along(int axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

/// One axis of a coarsening.
struct AxisCoarsening {
  int axis = 0;
  int dimension = 3;
  std::int64_t fine_points = 0;  ///< of the whole axis
  bool periodic = false;
  std::int64_t fine_first = 0;    ///< global index of the fine fields' point 0 on the axis
  std::int64_t coarse_first = 0;  ///< and of the coarse ones'
};

/// Enqueues weights(p) for the fine points of `box`: of an omitted one that of its neighbour before
/// it, the rest being the other's; −1 where neither says anything about it. Of kept points 0.
template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box);

/// Enqueues the coarse operator at the coarse points of `box`. The fine fields and the weights
/// exist two fine points around each of these along the axis, and one across.
template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box);

}  // namespace isotherm
