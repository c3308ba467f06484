#include "kernels/conduction/coarsening.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// The fine grid of a coarsening, and the properties of its points. A point is given by its index
/// in the fine fields. The axes are known to the compiler, which then needs no branches for them.
template <class RealType, int coarsened_axis, int grid_dimension>
struct FineGrid {
  using Real = RealType;
  static constexpr int axis = coarsened_axis;  ///< the coarsened one
  static constexpr int dimension = grid_dimension;

  AxisCoarsening coarsening;
  OperatorFields<Real const> fine;

  /// Returns the point that lies `by` points after `p` on an axis.
  ISOTHERM_INLINE static Index3 step(Index3 p, int along, std::int64_t by) {
    p[along] += by;
    return p;
  }
  /// Returns the global index of `p` on the coarsened axis.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t global(Index3 p) const {
    return p[axis] + coarsening.fine_first;
  }
  /// Returns false if `p` lies beyond an end of the coarsened axis.
  [[nodiscard]] ISOTHERM_INLINE bool exists(Index3 p) const {
    std::int64_t const at = global(p);
    return coarsening.splitting.periodic || (at >= 0 && at < coarsening.splitting.points);
  }
  /// Returns true if `p` is an F point.
  [[nodiscard]] ISOTHERM_INLINE bool is_f_point(Index3 p) const {
    return coarsening.splitting.is_f_point(global(p));
  }
  /// Returns true if the correction is zero at `p`.
  [[nodiscard]] ISOTHERM_INLINE bool is_fixed(Index3 p) const {
    return std::signbit(fine.x(p.x, p.y, p.z));
  }
  /// Returns the conductance from `p` to the next point on an axis.
  [[nodiscard]] ISOTHERM_INLINE Real conductance(int along, Index3 p) const {
    return std::abs(fine.along(along)(p.x, p.y, p.z));
  }
};

/// Computes the interpolation weight of a fine point.
template <class Grid>
struct SetWeight {
  using Real = typename Grid::Real;
  Grid grid;
  FieldView<Real> weights;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    weights(i, j, k) = weight({i, j, k});
  }

 private:
  [[nodiscard]] ISOTHERM_INLINE Real weight(Index3 p) const {
    constexpr int axis = Grid::axis;
    if (!grid.is_f_point(p)) return Real{0};
    if (grid.is_fixed(p)) return Real{-1};
    Index3 const before = grid.step(p, axis, -1);
    Real const to_before = grid.exists(before) ? grid.conductance(axis, before) : Real{0};
    Real const to_next = grid.exists(grid.step(p, axis, 1)) ? grid.conductance(axis, p) : Real{0};
    Real const sum = to_before + to_next;
    return sum > Real{0} ? to_before / sum : Real{-1};
  }
};

/// Computes the coarse operator at a coarse point. In the functions below, `c` is the C point that
/// coincides with the coarse point. `f` is one of the F points next to it on the coarsened axis.
template <class Grid>
struct CoarsenOperator {
  using Real = typename Grid::Real;
  Grid grid;
  FieldView<Real const> weights;
  OperatorFields<Real> coarse;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    AxisCoarsening const& by = grid.coarsening;
    // On the other axes, fine and coarse fields have the same indices.
    Index3 c{i, j, k};
    c[Grid::axis] = by.splitting.fine_of(c[Grid::axis] + by.coarse_first) - by.fine_first;
    for (int axis = 0; axis < Grid::dimension; ++axis) {
      Real const conductance = axis == Grid::axis ? along(c) : across(c, axis);
      bool const marked = axis == 0 && grid.is_fixed(c);
      coarse.along(axis)(i, j, k) = marked ? -conductance : conductance;
    }
    coarse.reaction(i, j, k) = reaction(c);
  }

 private:
  /// Returns the conductance to the next C point: in series through the F point between them.
  [[nodiscard]] ISOTHERM_INLINE Real along(Index3 c) const {
    constexpr int axis = Grid::axis;
    Index3 const next = grid.step(c, axis, 1);
    if (!grid.exists(next) || grid.coarsening.splitting.points <= 2) return Real{0};
    Real const to_next = grid.conductance(axis, c);
    if (!grid.is_f_point(next)) return to_next;
    // Nothing passes through a fixed point. reaction() adds the conductances to it.
    if (!grid.exists(grid.step(next, axis, 1)) || grid.is_fixed(next)) return Real{0};
    Real const behind = grid.conductance(axis, next);
    Real const sum = to_next + behind;
    return sum > Real{0} ? to_next * (behind / sum) : Real{0};
  }

  /// Returns the conductance to the next coarse point on another axis: that of the C point, plus
  /// its shares of the conductances of both F points.
  [[nodiscard]] ISOTHERM_INLINE Real across(Index3 c, int axis) const {
    Real sum = grid.conductance(axis, c);
    for (bool const before : {false, true}) {  // whether c lies before the F point
      Index3 const f = grid.step(c, Grid::axis, before ? 1 : -1);
      if (is_existing_f_point(f)) sum += share_across(c, f, axis, before);
    }
    return sum;
  }

  /// Returns the reaction term of the C point, plus its shares of those of both F points.
  [[nodiscard]] ISOTHERM_INLINE Real reaction(Index3 c) const {
    if (grid.is_fixed(c)) return Real{0};
    constexpr int axis = Grid::axis;
    Real sum = grid.fine.reaction(c.x, c.y, c.z);
    for (bool const before : {false, true}) {  // whether c lies before the F point
      Index3 const f = grid.step(c, axis, before ? 1 : -1);
      if (!is_existing_f_point(f)) continue;
      if (grid.is_fixed(f)) {
        // A conductance to a fixed point, where the correction is zero, is a reaction term.
        sum += grid.conductance(axis, before ? c : f);
      } else {
        sum += share(f, before) * (grid.fine.reaction(f.x, f.y, f.z) + lost_across(c, f));
      }
    }
    return sum;
  }

  [[nodiscard]] ISOTHERM_INLINE bool is_existing_f_point(Index3 p) const {
    return grid.exists(p) && grid.is_f_point(p);
  }
  /// Returns the interpolation weight at F point `f` of the neighbour before it, or behind it.
  [[nodiscard]] ISOTHERM_INLINE Real share(Index3 f, bool before) const {
    return interpolation_share(weights(f.x, f.y, f.z), before);
  }

  /// Returns the part of an F point's conductance to the next F point on another axis that the
  /// coarse point takes over. The factor is the geometric mean of the weights at both F points, so
  /// the coarse operator is symmetric.
  ///
  /// If one of the two F points is fixed, the factor is the weight at the other one. The C point
  /// next to the fixed one must be fixed as well; otherwise the result is 0.
  [[nodiscard]] ISOTHERM_INLINE Real share_across(Index3 c, Index3 f, int axis, bool before) const {
    Real const conductance = grid.conductance(axis, f);
    if (!(conductance > Real{0})) return Real{0};
    Index3 const next = grid.step(f, axis, 1);
    bool const fixed = grid.is_fixed(f);
    bool const next_fixed = grid.is_fixed(next);
    if (fixed && next_fixed) return Real{0};
    if (fixed || next_fixed) {
      Index3 const beside_fixed = fixed ? c : grid.step(c, axis, 1);
      bool const takes_over = grid.is_fixed(beside_fixed);
      return takes_over ? conductance * share(fixed ? next : f, before) : Real{0};
    }
    return conductance * std::sqrt(share(f, before) * share(next, before));
  }

  /// Returns the sum of an F point's conductances on other axes to fixed points that no conductance
  /// of `c` takes over (see share_across()). They become part of the reaction term.
  [[nodiscard]] ISOTHERM_INLINE Real lost_across(Index3 c, Index3 f) const {
    Real sum = 0;
    for (int axis = 0; axis < Grid::dimension; ++axis) {
      if (axis == Grid::axis) continue;
      for (int const side : {-1, 1}) {
        Real const conductance = grid.conductance(axis, side < 0 ? grid.step(f, axis, -1) : f);
        if (!(conductance > Real{0})) continue;
        bool const to_fixed = grid.is_fixed(grid.step(f, axis, side));
        if (to_fixed && !grid.is_fixed(grid.step(c, axis, side))) sum += conductance;
      }
    }
    return sum;
  }
};

/// Calls use(grid) with the fine grid of a coarsening.
template <class Real, class Use>
void with_grid(AxisCoarsening const& coarsening, OperatorFields<Real const> const& fine,
               Use const& use) {
  if (coarsening.dimension == 2) {
    return coarsening.axis == 0 ? use(FineGrid<Real, 0, 2>{coarsening, fine})
                                : use(FineGrid<Real, 1, 2>{coarsening, fine});
  }
  switch (coarsening.axis) {
    case 0:
      return use(FineGrid<Real, 0, 3>{coarsening, fine});
    case 1:
      return use(FineGrid<Real, 1, 3>{coarsening, fine});
    default:
      return use(FineGrid<Real, 2, 3>{coarsening, fine});
  }
}

/// Returns the fine points that coarsen_operator() reads for the coarse points of `box`. If the
/// table of the axis lies in device memory, the host cannot read it. The result then contains all
/// points that the fine fields have on the axis.
LocalBox fine_points_read(Queue const& queue, AxisCoarsening const& by, LocalBox box,
                          LocalBox fine) {
  LocalBox read = box.grown({1, 1, by.dimension == 3 ? 1 : 0});
  std::int64_t& lower = read.lower[by.axis];
  std::int64_t& upper = read.upper[by.axis];
  if (by.splitting.table && queue.backend() != Backend::cpu) {
    lower = fine.lower[by.axis];
    upper = fine.upper[by.axis];
    return read;
  }
  auto const fine_of = [&](std::int64_t coarse) {
    return by.splitting.fine_of(coarse + by.coarse_first) - by.fine_first;
  };
  lower = fine_of(box.lower[by.axis]) - 1;
  upper = fine_of(box.upper[by.axis] - 1) + 2;
  if (!by.splitting.periodic) upper = std::min(upper, by.splitting.points - by.fine_first);
  return read;
}

}  // namespace

template <class Real>
void set_interpolation_weights(Queue& queue, AxisCoarsening const& coarsening,
                               OperatorFields<Real const> const& fine, FieldView<Real> weights,
                               LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box;
  --read.lower[coarsening.axis];
  require(weights.box.contains(box) && fine.x.box.contains(read),
          "the interpolation weights of a coarsening reach past their fields");
  with_grid(coarsening, fine, [&](auto const& grid) {
    using Grid = std::remove_cvref_t<decltype(grid)>;
    for_each_point_in_columns(queue, box, SetWeight<Grid>{grid, weights});
  });
}

template <class Real>
void coarsen_operator(Queue& queue, AxisCoarsening const& coarsening,
                      OperatorFields<Real const> const& fine, FieldView<Real const> weights,
                      OperatorFields<Real> const& coarse, LocalBox box) {
  if (box.empty()) return;
  LocalBox const read = fine_points_read(queue, coarsening, box, fine.x.box);
  require(coarse.x.box.contains(box) && fine.x.box.contains(read) && weights.box.contains(read),
          "a coarse operator reaches past the fields that it is made of");
  with_grid(coarsening, fine, [&](auto const& grid) {
    using Grid = std::remove_cvref_t<decltype(grid)>;
    for_each_point_in_columns(queue, box, CoarsenOperator<Grid>{grid, weights, coarse});
  });
}

#define ISOTHERM_INSTANTIATE(Real)                                                                 \
  template void set_interpolation_weights(Queue&, AxisCoarsening const&,                           \
                                          OperatorFields<Real const> const&, FieldView<Real>,      \
                                          LocalBox);                                               \
  template void coarsen_operator(Queue&, AxisCoarsening const&, OperatorFields<Real const> const&, \
                                 FieldView<Real const>, OperatorFields<Real> const&, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
