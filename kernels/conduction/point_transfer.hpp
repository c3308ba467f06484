#pragma once

#include "kernels/conduction/transfer.hpp"

namespace isotherm {

/// The share of the kept point before an omitted one, or behind it, given what its weight is.
template <class Real>
ISOTHERM_INLINE Real omission_share(Real weight, bool before) {
  if (weight < Real{0}) return Real{0};
  return before ? weight : Real{1} - weight;
}

/// What gather_flow() makes of a coarse point.
template <class Real>
struct GatherFlow {
  FlowTransfer<Real> by;
  FieldView<Real const> fine;

  ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const coarse = Index3{i, j, k} + by.coarse_first;
    Omission const of{by.fine_points.z, by.periodic_z};
    std::int64_t const z = by.coarsened_z ? of.fine_of(coarse.z) : coarse.z;
    Real sum = in_plane(coarse.x, coarse.y, z);
    if (!by.coarsened_z) return sum;
    for (int const side : {-1, 1}) {
      if (!of.is_omitted(z + side)) continue;
      Real const weight = by.weights_z(coarse.x - by.between_first.x, coarse.y - by.between_first.y,
                                       z + side - by.fine_first.z);
      sum += omission_share(weight, side > 0) * in_plane(coarse.x, coarse.y, z + side);
    }
    return sum;
  }

 private:
  /// Of the fine plane z, at a point that is coarse in x and y; all indices are global.
  [[nodiscard]] ISOTHERM_INLINE Real in_plane(std::int64_t cx, std::int64_t cy,
                                              std::int64_t z) const {
    Omission const of{by.fine_points.y, by.periodic_y};
    std::int64_t const y = by.coarsened_y ? of.fine_of(cy) : cy;
    Real sum = in_row(cx, y, z);
    if (!by.coarsened_y) return sum;
    for (int const side : {-1, 1}) {
      if (!of.is_omitted(y + side)) continue;
      Real const weight =
          by.weights_y(cx - by.between_first.x, y + side - by.fine_first.y, z - by.fine_first.z);
      sum += omission_share(weight, side > 0) * in_row(cx, y + side, z);
    }
    return sum;
  }
  [[nodiscard]] ISOTHERM_INLINE Real in_row(std::int64_t cx, std::int64_t y, std::int64_t z) const {
    Omission const of{by.fine_points.x, by.periodic_x};
    std::int64_t const x = by.coarsened_x ? of.fine_of(cx) : cx;
    Index3 const at = Index3{x, y, z} - by.fine_first;
    Real sum = fine(at.x, at.y, at.z);
    if (!by.coarsened_x) return sum;
    for (int const side : {-1, 1}) {
      if (!of.is_omitted(x + side)) continue;
      Real const weight = by.weights_x(at.x + side, at.y, at.z);
      sum += omission_share(weight, side > 0) * fine(at.x + side, at.y, at.z);
    }
    return sum;
  }
};

/// What spread_flow() adds to a fine point.
template <class Real>
struct SpreadFlow {
  FlowTransfer<Real> by;
  FieldView<Real const> coarse;

  ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const at = Index3{i, j, k} + by.fine_first;
    if (!by.coarsened_x) return at_column(at.x, at);
    Omission const of{by.fine_points.x, by.periodic_x};
    if (!of.is_omitted(at.x)) return at_column(of.coarse_of(at.x), at);
    Real const weight = by.weights_x(i, j, k);
    return between(weight,
                   [&](bool before) { return at_column(before ? at.x / 2 : at.x / 2 + 1, at); });
  }

 private:
  /// Both neighbours' values by their shares; of those without one nothing is asked.
  template <class Value>
  [[nodiscard]] ISOTHERM_INLINE static Real between(Real weight, Value const& value) {
    Real const before = omission_share(weight, true);
    Real const behind = omission_share(weight, false);
    Real sum = 0;
    if (before != Real{0}) sum += before * value(true);
    if (behind != Real{0}) sum += behind * value(false);
    return sum;
  }
  /// At a point that is coarse in x; all indices are global.
  [[nodiscard]] ISOTHERM_INLINE Real at_column(std::int64_t cx, Index3 at) const {
    if (!by.coarsened_y) return at_point(cx, at.y, at);
    Omission const of{by.fine_points.y, by.periodic_y};
    if (!of.is_omitted(at.y)) return at_point(cx, of.coarse_of(at.y), at);
    Real const weight =
        by.weights_y(cx - by.between_first.x, at.y - by.fine_first.y, at.z - by.fine_first.z);
    return between(weight,
                   [&](bool before) { return at_point(cx, before ? at.y / 2 : at.y / 2 + 1, at); });
  }
  [[nodiscard]] ISOTHERM_INLINE Real at_point(std::int64_t cx, std::int64_t cy, Index3 at) const {
    auto const value = [&](std::int64_t cz) {
      Index3 const p = Index3{cx, cy, cz} - by.coarse_first;
      return coarse(p.x, p.y, p.z);
    };
    if (!by.coarsened_z) return value(at.z);
    Omission const of{by.fine_points.z, by.periodic_z};
    if (!of.is_omitted(at.z)) return value(of.coarse_of(at.z));
    Real const weight =
        by.weights_z(cx - by.between_first.x, cy - by.between_first.y, at.z - by.fine_first.z);
    return between(weight, [&](bool before) { return value(before ? at.z / 2 : at.z / 2 + 1); });
  }
};

}  // namespace isotherm
