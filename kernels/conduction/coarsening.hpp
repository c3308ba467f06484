#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"

// A body's grid is coarsened along one axis at a time, by leaving out every second point: those of
// odd index, but for the last point of an axis, since what is given on a face has to stay there.
// The flow tells what an omitted point's value is, between those of its neighbours on the axis:
// weights in proportion to its conductances to them. By the same weights what is absorbed at it,
// and what it conducts across the axis, goes to them; along the axis its two conductances act in
// series. So an operator of nearest neighbours remains one, whatever the conductances are (R.
// Alcouffe, A. Brandt, J. Dendy and J. Painter, 1981, have such weights in all directions).

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

/// The points of an axis that are left of so many.
ISOTHERM_INLINE std::int64_t kept_points(std::int64_t points, bool periodic) {
  bool const keeps_last = !periodic && points > 2 && points % 2 == 0;
  return (points + 1) / 2 + (keeps_last ? 1 : 0);
}

/// Which of an axis' points are left.
struct Omission {
  std::int64_t points = 0;
  bool periodic = false;

  /// @param at  global index; round a periodic axis it may be one beyond the ends
  [[nodiscard]] ISOTHERM_INLINE bool is_omitted(std::int64_t at) const {
    if (periodic) {
      if (at < 0) at += points;
      if (at >= points) at -= points;
      return (at & 1) != 0;
    }
    return at >= 0 && at < points && (at & 1) != 0 && (at != points - 1 || points <= 2);
  }
  /// Of a coarse point's index.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t fine_of(std::int64_t coarse) const {
    std::int64_t const twice = 2 * coarse;
    return !periodic && twice == points ? points - 1 : twice;
  }
  /// Of a point that is left.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t coarse_of(std::int64_t kept) const {
    return (kept + 1) / 2;
  }
};

/// One axis of a coarsening.
struct AxisCoarsening {
  int axis = 0;
  int dimension = 3;
  Omission omission{};            ///< of the whole axis
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
