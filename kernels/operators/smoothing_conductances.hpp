#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// The operator at a point as a relaxation needs it: the conductances to its neighbours, and the
/// inverse diagonal.
template <class RealType, int GridDimension>
struct SmoothingPointConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;

  Real west, east, south, north, below, above;  ///< below, above: unused in 2D
  Real inverse_diagonal;                        ///< 1 / (Σ g + reaction); 0 at fixed points

  /// Returns Σ g u / (Σ g + reaction), the value for which the net flow is zero. It costs no
  /// division.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real neighbours(At const& at) const {
    Real sum = multiply_add(east, at(1, 0, 0), west * at(-1, 0, 0));
    sum = multiply_add(south, at(0, -1, 0), sum);
    sum = multiply_add(north, at(0, 1, 0), sum);
    if constexpr (dimension == 3) {
      sum = multiply_add(below, at(0, 0, -1), sum);
      sum = multiply_add(above, at(0, 0, 1), sum);
    }
    return sum * inverse_diagonal;
  }
  /// Returns the change of neighbours() due to an inflow of `source`.
  [[nodiscard]] ISOTHERM_INLINE Real share_of(Real source) const {
    return source * inverse_diagonal;
  }
};

/// Conductances of a correction, stored in fields like Conductances, together with the inverse
/// diagonal. A relaxation then multiplies, whereas Conductances divides.
///
/// inverse_diagonal is zero at points that are fixed at zero or isolated. Their values must be
/// zero, and remain so. Such points, and the sign that marks them in `x`, therefore affect no
/// result.
template <class RealType, int GridDimension>
struct SmoothingConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = SmoothingPointConductances<Real, dimension>;

  FieldView<Real const> x, y, z;  ///< each must exist one point before all swept points, along
                                  ///< its axis; z unused in 2D
  FieldView<Real const> inverse_diagonal;  ///< 1 / (Σ g + reaction); 0 at fixed points

  /// The operator on a row of points along x. Pointers refer to the point at i = 0.
  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* along_x;
    Real const* south;
    Real const* north;
    Real const* below;
    Real const* above;
    Real const* inverse_diagonal;

    /// Returns the conductances of point i of the row.
    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      Point point{along_x[i - 1], along_x[i], south[i],           north[i],
                  Real{0},        Real{0},    inverse_diagonal[i]};
      if constexpr (dimension == 3) {
        point.below = below[i];
        point.above = above[i];
      }
      return point;
    }
  };

  /// Returns the operator on row (j, k).
  [[nodiscard]] ISOTHERM_INLINE Row row(std::int64_t j, std::int64_t k) const {
    Row row{&x(0, j, k), &y(0, j - 1, k), &y(0, j, k),
            nullptr,     nullptr,         &inverse_diagonal(0, j, k)};
    if constexpr (dimension == 3) {
      row.below = &z(0, j, k - 1);
      row.above = &z(0, j, k);
    }
    return row;
  }
};

}  // namespace isotherm
