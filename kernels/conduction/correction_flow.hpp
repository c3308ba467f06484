#pragma once

#include <limits>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Enqueues making, at the points of `box`, the operator of a correction of fields that flow by
/// `of`, in the correction's precision: its conductances with their marks; what passes a face of
/// the grid is absorbed, and so is `shift` c V.
/// @param grid  the points of the grid in the fields' frame; reaches past them where an axis is
///              periodic
template <class From, class To, int dimension>
void set_correction_flow(Queue& queue, Conductances<From, dimension> const& of, double shift,
                         LocalBox grid, FlowFields<To> const& flow, LocalBox box);

/// Enqueues what relaxations of such a correction multiply by, at the points of `box`: 1 / Σ g,
/// with what is absorbed; zero of points that stay zero, or conduct nothing, or so little that the
/// reciprocal would not be finite. The conductances exist one point before the box.
template <class Real, int dimension>
void set_per_total(Queue& queue, Conductances<Real, dimension> const& of, FieldView<Real> per_total,
                   LocalBox box);

/// What that makes of a point.
template <class Real, int dimension>
struct SetPerTotal {
  Conductances<Real, dimension> of;
  FieldView<Real> per_total;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<Real, dimension> const point = of.row(j, k).point(i);
    Real const total = point.total();
    bool const conducts = total >= std::numeric_limits<Real>::min();
    per_total(i, j, k) = point.fixed || !conducts ? Real{0} : Real{1} / total;
  }
};

/// What set_correction_flow() makes of a point.
template <class From, class To, int dimension>
struct SetCorrectionFlow {
  Conductances<From, dimension> of;
  From shift;
  LocalBox grid;
  FlowFields<To> flow;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<From, dimension> const point = of.row(j, k).point(i);
    From absorbed = shift / point.per_volume + point.absorption;
    // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
    From const to_next[] = {point.east, point.north, point.above};
    From const to_last[] = {point.west, point.south, point.below};
    // NOLINTEND(modernize-avoid-c-arrays)
    Index3 const p{i, j, k};
    for (int axis = 0; axis < dimension; ++axis) {
      bool const ends = p[axis] + 1 == grid.upper[axis];
      From const within = ends ? From{0} : to_next[axis];
      if (ends) absorbed += to_next[axis];
      if (p[axis] == grid.lower[axis]) absorbed += to_last[axis];
      bool const marked = axis == 0 && point.fixed;
      flow.along(axis)(i, j, k) = static_cast<To>(marked ? -within : within);
    }
    flow.absorption(i, j, k) = point.fixed ? To{0} : static_cast<To>(absorbed);
  }
};

}  // namespace isotherm
