#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

// Semicoarsening of the finite-volume operator of a heterogeneous medium, along one axis at a time.
//
// The points of an axis are C points, which the coarse grid retains, and F points, which it omits.
// No two F points are adjacent. On an axis with equal spacings the points of odd index are F
// points, otherwise a table lists them. The last point of a longer, non-periodic axis is always a C
// point, so boundary conditions on a face remain on the face.
//
// Prolongation is operator-dependent: an F point gets the mean of its two neighbours on the axis,
// weighted by its conductances to them. Restriction is the transpose. The coarse operator couples
// nearest neighbours only:
//
//   along the axis   two conductances act in series through the F point between them;
//   across the axis  the conductances of an F point go to its neighbours, by the same weights;
//   reaction term    that of an F point goes to its neighbours, by the same weights.
//
// In one dimension and without reaction terms this is the Galerkin product: F points are eliminated
// exactly. In more dimensions the Galerkin product would also couple diagonal neighbours; here
// these couplings are lumped into those of nearest neighbours.
//
// Conductances remain positive, however much they vary. R. E. Alcouffe, A. Brandt, J. E. Dendy and
// J. W. Painter, "The multi-grid method for the diffusion equation with strongly discontinuous
// coefficients", SIAM J. Sci. Stat. Comput. 2 (1981), use such weights in all directions at once.

namespace isotherm {

/// The operator of a correction, stored in fields: the conductance to the next point along each
/// axis, and the reaction term. At fixed points the correction is zero; their
/// conductance along x has a minus sign (kernels/operators/conductances.hpp).
template <class Real>
struct OperatorFields {
  FieldView<Real> x, y, z;   ///< z: none in 2D
  FieldView<Real> reaction;  ///< conductance to a place where the correction is zero

  /// Returns the conductances along `axis` (0: x, 1: y, 2: z).
  [[nodiscard]] ISOTHERM_INLINE FieldView<Real> const& along(int axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

/// Returns the number of C points of an axis with equal spacings. These are the points of even
/// index and, if the axis is longer than two points and not periodic, its last point.
ISOTHERM_INLINE std::int64_t c_points(std::int64_t points, bool periodic) {
  bool const last_remains = !periodic && points > 2 && points % 2 == 0;
  return (points + 1) / 2 + (last_remains ? 1 : 0);
}

/// The C points of an axis with unequal spacings, as arrays in the memory of the backend. An axis
/// with equal spacings has none, nor does a periodic axis.
struct CoarsePointTable {
  /// For each fine point: the coarse index of a C point; for an F point, ~ the coarse index of the
  /// C point before it.
  std::int32_t const* coarse = nullptr;
  std::int32_t const* fine = nullptr;  ///< for each coarse point: its index on the fine grid

  /// Returns false if the axis has equal spacings.
  [[nodiscard]] ISOTHERM_INLINE explicit operator bool() const { return coarse != nullptr; }
};

/// The division of an axis into C points and F points. All indices are global.
struct CoarseFineSplitting {
  std::int64_t points = 0;  ///< of the whole fine axis
  bool periodic = false;
  CoarsePointTable table{};  ///< none: the spacings are equal

  /// Returns true if `at` is an F point.
  /// @param at  may lie outside; on a periodic axis, at most one point outside
  [[nodiscard]] ISOTHERM_INLINE bool is_f_point(std::int64_t at) const {
    if (table) return at >= 0 && at < points && table.coarse[at] < 0;
    if (periodic) {
      if (at < 0) at += points;
      if (at >= points) at -= points;
      return (at & 1) != 0;
    }
    return at >= 0 && at < points && (at & 1) != 0 && (at != points - 1 || points <= 2);
  }
  /// Returns the fine index of a coarse point.
  /// @pre 0 <= coarse < number of C points.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t fine_of(std::int64_t coarse) const {
    if (table) return table.fine[coarse];
    std::int64_t const twice = 2 * coarse;
    // An even number of points ends with two C points.
    return !periodic && twice == points ? points - 1 : twice;
  }
  /// Returns the coarse index of a C point.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t coarse_of(std::int64_t c_point) const {
    return table ? table.coarse[c_point] : (c_point + 1) / 2;
  }
  /// Returns the coarse index of the C point before an F point. The one behind it is the next.
  /// @pre `f_point` is an F point.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t coarse_before(std::int64_t f_point) const {
    return table ? ~table.coarse[f_point] : f_point / 2;
  }
};

/// Returns the interpolation weight of one neighbour of an F point. The two shares of an F point
/// sum to 1, or are both 0.
/// @param weight  weight of the neighbour before it; negative: the F point is zero
/// @param before  true for the neighbour before the F point, false for the one behind it
template <class Real>
ISOTHERM_INLINE Real interpolation_share(Real weight, bool before) {
  if (weight < Real{0}) return Real{0};
  return before ? weight : Real{1} - weight;
}

/// The coarsening of one axis.
struct AxisCoarsening {
  int axis = 0;       ///< the coarsened axis (0: x, 1: y, 2: z)
  int dimension = 3;  ///< of the grid, 2 or 3
  CoarseFineSplitting splitting{};
  std::int64_t fine_first = 0;    ///< global index on the axis of the fine fields' point 0
  std::int64_t coarse_first = 0;  ///< global index on the axis of the coarse fields' point 0
};

/// Enqueues computing the interpolation weights of the fine points of `box`.
///
/// At an F point, weights(p) is the weight of the neighbour before it on the axis, g_before /
/// (g_before + g_behind). The weight of the other neighbour is 1 − weights(p). As a mark,
/// weights(p) is −1 if the F point is fixed or has no conductance to a neighbour. At a C point it
/// is 0.
/// @throws Error  if `weights` does not cover the box, or `fine` lacks a point of the box or one
///   before it on the axis
template <class Real>
void set_interpolation_weights(Queue& queue, AxisCoarsening const& coarsening,
                               OperatorFields<Real const> const& fine, FieldView<Real> weights,
                               LocalBox box);

/// Enqueues computing the coarse operator at the coarse points of `box`, from the fine operator and
/// the weights of set_interpolation_weights().
///
/// Each coarse point gathers from its C point and from the F points next to it, so all coarse
/// points are independent. The result has the same bits on any number of ranks.
/// @throws Error  if `fine` or `weights` lacks a point next to one of these coarse points, or
///   `coarse` does not cover the box
template <class Real>
void coarsen_operator(Queue& queue, AxisCoarsening const& coarsening,
                      OperatorFields<Real const> const& fine, FieldView<Real const> weights,
                      OperatorFields<Real> const& coarse, LocalBox box);

}  // namespace isotherm
