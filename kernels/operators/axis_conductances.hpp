#pragma once

#include "kernels/core/axis_rows.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Conductances of a medium with separable coefficients: products of numbers along the axes.
///
///   g_x(i, j, k) = per_gap.x[i] · width.y[j] · width.z[k],   and likewise for y and z
///
/// A sweep reads a few rows instead of a field per axis. There are no fixed points, and heat
/// capacities are 1. The values have the same bits as the fields that set_conductances() fills.
template <class RealType, int GridDimension>
struct AxisConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = PointConductances<Real, dimension>;

  AxisRows<Real> per_gap;    ///< κ / distance to the next point; beyond a face of the grid, the
                             ///< conductance per area. Must exist one point before all swept points
  AxisRows<Real> width;      ///< of the points' volumes
  AxisRows<Real> per_width;  ///< 1 / width

  /// The operator on a row of points along x.
  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* x_per_gap;
    Real const* x_width;
    Real const* x_per_width;
    Real y_last, y_next, z_last, z_next;  ///< per_gap of the gaps before and after the row
    Real y_width, z_width;
    Real per_area;

    /// Returns the conductances of point i of the row.
    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      return point_of(x_per_gap[i - 1], x_per_gap[i], x_width[i], x_per_width[i]);
    }
    /// Returns the conductances of a point, given its values of the rows along x.
    [[nodiscard]] ISOTHERM_INLINE Point point_of(Real last, Real next, Real width,
                                                 Real per_width) const {
      Real const across_x = y_width * z_width;
      Real const across_y = width * z_width;
      Point point{last * across_x, next * across_x, y_last * across_y,   y_next * across_y, Real{0},
                  Real{0},         false,           per_width * per_area};
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
    Row row{per_gap.x, width.x, per_width.x, per_gap.y[j - 1], per_gap.y[j],
            Real{0},   Real{0}, width.y[j],  Real{1},          per_width.y[j]};
    if constexpr (dimension == 3) {
      row.z_last = per_gap.z[k - 1];
      row.z_next = per_gap.z[k];
      row.z_width = width.z[k];
      row.per_area *= per_width.z[k];
    }
    return row;
  }
};

}  // namespace isotherm
