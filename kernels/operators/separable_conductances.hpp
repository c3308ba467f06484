#pragma once

#include "kernels/core/axis_rows.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Conductances of a medium with separable coefficients: products of numbers along the axes.
///
///   g_x(i, j, k) = inverse_gap.x[i] · width.y[j] · width.z[k],   and likewise for y and z
///
/// A sweep reads a few rows instead of a field per axis. There are no fixed points, and heat
/// capacities are 1. The values have the same bits as the fields that set_conductances() fills.
template <class RealType, int GridDimension>
struct SeparableConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = PointConductances<Real, dimension>;

  AxisRows<Real>
      inverse_gap;       ///< κ / distance to the next point; beyond a face of the grid, the
                         ///< conductance per area. Must exist one point before all swept points
  AxisRows<Real> width;  ///< of the points' volumes
  AxisRows<Real> inverse_width;  ///< 1 / width

  /// The operator on a row of points along x: pointers to the rows along x, at i = 0, and the
  /// factors of the row along y and z.
  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* x_inverse_gap;
    Real const* x_width;
    Real const* x_inverse_width;
    Real y_last, y_next, z_last, z_next;  ///< inverse_gap of the gaps before and after the row
    Real y_width, z_width;
    Real inverse_area;  ///< 1 / (width_y · width_z)

    /// Returns the conductances of point i of the row.
    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      return point_of(x_inverse_gap[i - 1], x_inverse_gap[i], x_width[i], x_inverse_width[i]);
    }
    /// Returns the conductances of a point, given its values of the rows along x.
    [[nodiscard]] ISOTHERM_INLINE Point point_of(Real last, Real next, Real width,
                                                 Real inverse_width) const {
      Real const across_x = y_width * z_width;
      Real const across_y = width * z_width;
      Point point{
          last * across_x, next * across_x, y_last * across_y,           y_next * across_y, Real{0},
          Real{0},         false,           inverse_width * inverse_area};
      if constexpr (dimension == 3) {
        Real const across_z = width * y_width;
        point.below = z_last * across_z;
        point.above = z_next * across_z;
      }
      return point;
    }
  };

  /// Returns the operator on row (j, k).
  [[nodiscard]] ISOTHERM_INLINE Row row(std::int64_t j, std::int64_t k) const {
    Row row{inverse_gap.x,    width.x,           inverse_width.x, inverse_gap.y[j - 1],
            inverse_gap.y[j], Real{0},           Real{0},         width.y[j],
            Real{1},          inverse_width.y[j]};
    if constexpr (dimension == 3) {
      row.z_last = inverse_gap.z[k - 1];
      row.z_next = inverse_gap.z[k];
      row.z_width = width.z[k];
      row.inverse_area *= inverse_width.z[k];
    }
    return row;
  }
};

}  // namespace isotherm
