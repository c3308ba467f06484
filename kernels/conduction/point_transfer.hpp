#pragma once

#include "kernels/conduction/transfer.hpp"

namespace isotherm {

/// Restricts a fine field to a coarse point. See restrict_residual().
///
/// Restriction is performed along x within rows, then along y within planes, then along z. Along
/// each axis a coarse point gets the value of its C point, plus a share of each F point next to it.
/// If all axes are coarsened, a coarse point reads up to 27 fine values.
template <class Real>
struct RestrictResidual {
  HeterogeneousTransfer<Real> by;
  FieldView<Real const> fine;

  /// The restriction along x and y of a plane of F points.
  struct Plane {
    std::int64_t z = -2;  ///< global index; −2 is no plane
    Real sum = 0;
  };

  /// Returns the value of coarse point (i, j, k).
  ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Plane last;
    return above(last, i, j, k);
  }

  /// Returns the same for points that follow one another along z. They share the plane of F points
  /// between them, which is restricted only once.
  /// @param last  that plane; updated
  ISOTHERM_INLINE Real above(Plane& last, std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const coarse = Index3{i, j, k} + by.coarse_first;
    CoarseFineSplitting const splitting = by.splitting_z();
    std::int64_t const z = by.coarsened_z ? splitting.fine_of(coarse.z) : coarse.z;
    Real sum = in_plane(coarse.x, coarse.y, z);
    if (!by.coarsened_z) return sum;
    for (int const side : {-1, 1}) {
      if (!splitting.is_f_point(z + side)) continue;
      // The plane below is the one above the previous point.
      if (last.z != z + side) last = {z + side, in_plane(coarse.x, coarse.y, z + side)};
      Real const weight = by.weights_z(coarse.x - by.between_first.x, coarse.y - by.between_first.y,
                                       z + side - by.fine_first.z);
      sum += interpolation_share(weight, side > 0) * last.sum;
    }
    return sum;
  }

 private:
  /// Restricts fine plane `z` along x and y to a coarse point. All indices are global.
  [[nodiscard]] ISOTHERM_INLINE Real in_plane(std::int64_t cx, std::int64_t cy,
                                              std::int64_t z) const {
    CoarseFineSplitting const splitting = by.splitting_y();
    std::int64_t const y = by.coarsened_y ? splitting.fine_of(cy) : cy;
    Real sum = in_row(cx, y, z);
    if (!by.coarsened_y) return sum;
    for (int const side : {-1, 1}) {
      if (!splitting.is_f_point(y + side)) continue;
      Real const weight =
          by.weights_y(cx - by.between_first.x, y + side - by.fine_first.y, z - by.fine_first.z);
      sum += interpolation_share(weight, side > 0) * in_row(cx, y + side, z);
    }
    return sum;
  }
  /// Restricts fine row (y, z) along x to a coarse point.
  [[nodiscard]] ISOTHERM_INLINE Real in_row(std::int64_t cx, std::int64_t y, std::int64_t z) const {
    CoarseFineSplitting const splitting = by.splitting_x();
    std::int64_t const x = by.coarsened_x ? splitting.fine_of(cx) : cx;
    Index3 const at = Index3{x, y, z} - by.fine_first;
    Real const* const values = &fine(at.x, at.y, at.z);
    Real sum = *values;
    if (!by.coarsened_x) return sum;
    Real const* const weights = &by.weights_x(at.x, at.y, at.z);
    for (int const side : {-1, 1}) {
      if (!splitting.is_f_point(x + side)) continue;
      sum += interpolation_share(weights[side], side > 0) * values[side];
    }
    return sum;
  }
};

/// Prolongates a coarse field to a fine point. See prolongate_correction().
///
/// Interpolation along x is outermost: it combines values that are interpolated along y, and these
/// combine values that are interpolated along z. At most eight coarse values contribute.
template <class Real>
struct ProlongateCorrection {
  HeterogeneousTransfer<Real> by;
  FieldView<Real const> coarse;

  /// Returns the interpolated value at fine point (i, j, k).
  ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const at = Index3{i, j, k} + by.fine_first;
    if (!by.coarsened_x) return at_column(at.x, at);
    CoarseFineSplitting const splitting = by.splitting_x();
    if (!splitting.is_f_point(at.x)) return at_column(splitting.coarse_of(at.x), at);
    Real const weight = by.weights_x(i, j, k);
    return between(weight, [&](bool before) {
      return at_column(splitting.coarse_before(at.x) + (before ? 0 : 1), at);
    });
  }

  /// Returns the weighted mean of the values of an F point's two neighbours on an axis. A value
  /// without a weight may be anything, even NaN.
  /// @param value  value(true) returns the value of the neighbour before the F point, value(false)
  ///   of the one behind. Both are called first, so loads do not wait for the weights.
  template <class Value>
  [[nodiscard]] ISOTHERM_INLINE static Real between(Real weight, Value const& value) {
    Real const first = value(true);
    Real const second = value(false);
    Real const before = interpolation_share(weight, true);
    Real const behind = interpolation_share(weight, false);
    Real sum = 0;
    if (before != Real{0}) sum += before * first;
    if (behind != Real{0}) sum += behind * second;
    return sum;
  }
  /// Interpolates along y and z at coarse index `cx`. All indices are global.
  /// @param at  the fine point; its x is ignored
  [[nodiscard]] ISOTHERM_INLINE Real at_column(std::int64_t cx, Index3 at) const {
    if (!by.coarsened_y) return at_point(cx, at.y, at);
    CoarseFineSplitting const splitting = by.splitting_y();
    if (!splitting.is_f_point(at.y)) return at_point(cx, splitting.coarse_of(at.y), at);
    Real const weight =
        by.weights_y(cx - by.between_first.x, at.y - by.fine_first.y, at.z - by.fine_first.z);
    return between(weight, [&](bool before) {
      return at_point(cx, splitting.coarse_before(at.y) + (before ? 0 : 1), at);
    });
  }

 private:
  /// Interpolates along z at coarse indices `cx`, `cy`.
  [[nodiscard]] ISOTHERM_INLINE Real at_point(std::int64_t cx, std::int64_t cy, Index3 at) const {
    CoarseFineSplitting const splitting = by.splitting_z();
    bool const f_point = by.coarsened_z && splitting.is_f_point(at.z);
    std::int64_t cz = at.z;
    if (by.coarsened_z) cz = f_point ? splitting.coarse_before(at.z) : splitting.coarse_of(at.z);
    Index3 const p = Index3{cx, cy, cz} - by.coarse_first;
    // The C point behind an F point is one plane further on the coarse grid.
    Real const* const value = &coarse(p.x, p.y, p.z);
    if (!f_point) return *value;
    Real const weight =
        by.weights_z(cx - by.between_first.x, cy - by.between_first.y, at.z - by.fine_first.z);
    return between(weight, [&](bool before) { return value[before ? 0 : coarse.stride_z]; });
  }
};

}  // namespace isotherm
