#pragma once

#include <cmath>

#include "kernels/conduction/coarsening.hpp"

namespace isotherm {

/// A coarsening's fine grid, as one point sees it.
template <class Real>
struct FineFlow {
  AxisCoarsening coarsening;
  FlowFields<Real const> fine;
  FieldView<Real const> weights;

  ISOTHERM_INLINE static Index3 step(Index3 p, int axis, std::int64_t by) {
    p[axis] += by;
    return p;
  }
  [[nodiscard]] ISOTHERM_INLINE std::int64_t global(Index3 p) const {
    return p[coarsening.axis] + coarsening.fine_first;
  }
  /// Whether there is a point, where the axis ends.
  [[nodiscard]] ISOTHERM_INLINE bool exists(Index3 p) const {
    std::int64_t const at = global(p);
    return coarsening.omission.periodic || (at >= 0 && at < coarsening.omission.points);
  }
  [[nodiscard]] ISOTHERM_INLINE bool is_omitted(Index3 p) const {
    return coarsening.omission.is_omitted(global(p));
  }
  [[nodiscard]] ISOTHERM_INLINE bool is_kept_zero(Index3 p) const {
    return std::signbit(fine.x(p.x, p.y, p.z));
  }
  /// From a point to the next one.
  [[nodiscard]] ISOTHERM_INLINE Real conductance(int axis, Index3 p) const {
    return std::abs(fine.along(axis)(p.x, p.y, p.z));
  }
  /// Of its neighbour before it, or behind it, in an omitted point's value.
  [[nodiscard]] ISOTHERM_INLINE Real weight(Index3 p, bool before) const {
    return omission_share(weights(p.x, p.y, p.z), before);
  }
};

/// What set_omission_weights() makes of a point.
template <class Real>
struct OmissionWeight {
  FineFlow<Real> flow;

  ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const p{i, j, k};
    int const axis = flow.coarsening.axis;
    if (!flow.is_omitted(p)) return Real{0};
    if (flow.is_kept_zero(p)) return Real{-1};
    Index3 const before = flow.step(p, axis, -1);
    Real const to_before = flow.exists(before) ? flow.conductance(axis, before) : Real{0};
    Real const to_next = flow.exists(flow.step(p, axis, 1)) ? flow.conductance(axis, p) : Real{0};
    Real const sum = to_before + to_next;
    return sum > Real{0} ? to_before / sum : Real{-1};
  }
};

/// What coarsen_flow() makes of a remaining point: its conductance along the axis, those across it,
/// and its absorption.
template <class Real>
struct CoarseFlow {
  FineFlow<Real> flow;

  /// The fine point where a coarse one lies.
  [[nodiscard]] ISOTHERM_INLINE Index3 fine_of(Index3 coarse) const {
    AxisCoarsening const& by = flow.coarsening;
    coarse[by.axis] = by.omission.fine_of(coarse[by.axis] + by.coarse_first) - by.fine_first;
    return coarse;
  }

  /// To the next coarse point: through the omitted one between them, in series.
  [[nodiscard]] ISOTHERM_INLINE Real along(Index3 remaining) const {
    int const axis = flow.coarsening.axis;
    Index3 const next = flow.step(remaining, axis, 1);
    if (!flow.exists(next) || flow.coarsening.omission.points <= 2) return Real{0};
    Real const to_next = flow.conductance(axis, remaining);
    if (!flow.is_omitted(next)) return to_next;
    if (!flow.exists(flow.step(next, axis, 1)) || flow.is_kept_zero(next)) return Real{0};
    Real const behind = flow.conductance(axis, next);
    Real const sum = to_next + behind;
    return sum > Real{0} ? to_next * (behind / sum) : Real{0};
  }

  /// To the next coarse point on another axis: its own, and its share of those of the omitted
  /// points on both sides.
  [[nodiscard]] ISOTHERM_INLINE Real across(Index3 remaining, int across_axis) const {
    Real sum = flow.conductance(across_axis, remaining);
    for (bool const before : {false, true}) {
      Index3 const omitted = flow.step(remaining, flow.coarsening.axis, before ? 1 : -1);
      if (!is_beside(omitted)) continue;
      sum += share_across(remaining, omitted, across_axis, before);
    }
    return sum;
  }

  /// What is absorbed at it, and its share of the omitted points'.
  [[nodiscard]] ISOTHERM_INLINE Real absorption(Index3 remaining) const {
    if (flow.is_kept_zero(remaining)) return Real{0};
    int const axis = flow.coarsening.axis;
    Real sum = flow.fine.absorption(remaining.x, remaining.y, remaining.z);
    for (bool const before :
         {false, true}) {  // whether the remaining point comes before the omitted one
      Index3 const omitted = flow.step(remaining, axis, before ? 1 : -1);
      if (!is_beside(omitted)) continue;
      if (flow.is_kept_zero(omitted)) {
        sum += flow.conductance(axis, before ? remaining : omitted);
        continue;
      }
      Real const weight = flow.weight(omitted, before);
      sum += weight * (flow.fine.absorption(omitted.x, omitted.y, omitted.z) +
                       lost_across(remaining, omitted));
    }
    return sum;
  }

 private:
  [[nodiscard]] ISOTHERM_INLINE bool is_beside(Index3 omitted) const {
    return flow.exists(omitted) && flow.is_omitted(omitted);
  }

  /// An omitted point's conductance on another axis leads to another omitted point: each side gets
  /// the geometric mean of their weights of it. Where one of the two is kept zero, the other's
  /// weight counts, and the remaining points beside them take it over if they are such a pair, too.
  [[nodiscard]] ISOTHERM_INLINE Real share_across(Index3 remaining, Index3 omitted, int across_axis,
                                                  bool before) const {
    Real const conductance = flow.conductance(across_axis, omitted);
    if (!(conductance > Real{0})) return Real{0};
    Index3 const next = flow.step(omitted, across_axis, 1);
    bool const zero = flow.is_kept_zero(omitted);
    bool const next_zero = flow.is_kept_zero(next);
    if (zero && next_zero) return Real{0};
    if (zero || next_zero) {
      Index3 const beside_zero = zero ? remaining : flow.step(remaining, across_axis, 1);
      bool const stays = flow.is_kept_zero(beside_zero);
      return stays ? conductance * flow.weight(zero ? next : omitted, before) : Real{0};
    }
    return conductance * std::sqrt(flow.weight(omitted, before) * flow.weight(next, before));
  }

  /// What an omitted point conducts on other axes to points whose value is kept zero, where no
  /// conductance of the remaining point beside it can take it over.
  [[nodiscard]] ISOTHERM_INLINE Real lost_across(Index3 remaining, Index3 omitted) const {
    Real sum = 0;
    for (int axis = 0; axis < flow.coarsening.dimension; ++axis) {
      if (axis == flow.coarsening.axis) continue;
      for (int const side : {-1, 1}) {
        Real const conductance =
            flow.conductance(axis, side < 0 ? flow.step(omitted, axis, -1) : omitted);
        if (!(conductance > Real{0})) continue;
        bool const to_zero = flow.is_kept_zero(flow.step(omitted, axis, side));
        if (to_zero && !flow.is_kept_zero(flow.step(remaining, axis, side))) sum += conductance;
      }
    }
    return sum;
  }
};

/// The coarse operator at a point.
template <class Real>
struct SetCoarseFlow {
  CoarseFlow<Real> of;
  FlowFields<Real> coarse;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const remaining = of.fine_of({i, j, k});
    for (int axis = 0; axis < of.flow.coarsening.dimension; ++axis) {
      bool const is_along = axis == of.flow.coarsening.axis;
      Real const conductance = is_along ? of.along(remaining) : of.across(remaining, axis);
      bool const marked = axis == 0 && of.flow.is_kept_zero(remaining);
      coarse.along(axis)(i, j, k) = marked ? -conductance : conductance;
    }
    coarse.absorption(i, j, k) = of.absorption(remaining);
  }
};

}  // namespace isotherm
