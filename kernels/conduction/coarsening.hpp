#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

// A body's grid is coarsened along one axis at a time, by leaving out points no two of which are
// neighbours, and not the last point of an axis, since what is given on a face has to stay there:
// where distances are equal those of odd index, else those that a table says.
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

/// The points of an axis that remain of so many.
ISOTHERM_INLINE std::int64_t remaining_points(std::int64_t points, bool periodic) {
  bool const last_remains = !periodic && points > 2 && points % 2 == 0;
  return (points + 1) / 2 + (last_remains ? 1 : 0);
}

/// Which points of an axis remain, where they are not every second one: numbers in the memory of
/// the backend (omission_table.hpp). None of a periodic axis.
struct OmissionTable {
  /// By fine point: its index on the coarse grid; of an omitted one, ~ that of the point before it.
  std::int32_t const* coarse = nullptr;
  std::int32_t const* fine = nullptr;  ///< by coarse point: its index on the fine grid

  [[nodiscard]] ISOTHERM_INLINE explicit operator bool() const { return coarse != nullptr; }
};

/// Which of an axis' points remain: every second one, unless a table says which.
struct Omission {
  std::int64_t points = 0;
  bool periodic = false;
  OmissionTable table{};

  /// @param at  global index; round a periodic axis it may be one beyond the ends
  [[nodiscard]] ISOTHERM_INLINE bool is_omitted(std::int64_t at) const {
    if (table) return at >= 0 && at < points && table.coarse[at] < 0;
    if (periodic) {
      if (at < 0) at += points;
      if (at >= points) at -= points;
      return (at & 1) != 0;
    }
    return at >= 0 && at < points && (at & 1) != 0 && (at != points - 1 || points <= 2);
  }
  /// Of a coarse point's index.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t fine_of(std::int64_t coarse) const {
    if (table) return table.fine[coarse];
    std::int64_t const twice = 2 * coarse;
    return !periodic && twice == points ? points - 1 : twice;
  }
  /// Of a point that remains.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t coarse_of(std::int64_t remaining) const {
    return table ? table.coarse[remaining] : (remaining + 1) / 2;
  }
  /// Of the point before an omitted one; that behind it is the next.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t coarse_before(std::int64_t omitted) const {
    return table ? ~table.coarse[omitted] : omitted / 2;
  }
};

/// Of an omitted point's weight, what its neighbour before it counts in its value, or that behind
/// it.
template <class Real>
ISOTHERM_INLINE Real omission_share(Real weight, bool before) {
  if (weight < Real{0}) return Real{0};
  return before ? weight : Real{1} - weight;
}

/// One axis of a coarsening.
struct AxisCoarsening {
  int axis = 0;
  int dimension = 3;
  Omission omission{};            ///< of the whole axis
  std::int64_t fine_first = 0;    ///< global index of the fine fields' point 0 on the axis
  std::int64_t coarse_first = 0;  ///< and of the coarse ones'
};

/// Enqueues weights(p) for the fine points of `box`: of an omitted one that of its neighbour before
/// it, the rest being the other's; −1 where neither says anything about it; 0 of one that remains.
template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box);

/// Enqueues the coarse operator at the coarse points of `box`. The fine fields and the weights
/// exist one fine point around each of these.
template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box);

}  // namespace isotherm
