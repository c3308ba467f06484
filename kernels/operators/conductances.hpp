#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

// The finite-volume operator of a heterogeneous medium (variable coefficients). Between a point and
// each of its neighbours there is a conductance g, which is the same in both directions. The net
// flow into the point is
//
//   Σ g (u(neighbour) − u)
//
// Divided by the point's volume V and its volumetric heat capacity c, it gives a rate of change.
// For ∇·κ∇u on a grid of spacing h, g = κ A / h. Here A is the area between the two volumes, and κ
// is the harmonic mean of their conductivities.
//
// Volumes at a face of the grid are halved, and so are the areas between two of them. No heat flows
// if g = 0: through an insulated face, or into an insulated point. The operator of a correction
// also has a reaction term: a conductance to a place where the correction is zero.

namespace isotherm {

/// The operator at a point: the conductances to its neighbours.
template <class RealType, int GridDimension>
struct PointConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;

  Real west, east, south, north, below, above;  ///< below, above: unused in 2D
  bool fixed;                                   ///< the point keeps its value (Dirichlet)
  Real inverse_heat_capacity;                   ///< 1 / (c V)
  Real reaction = 0;  ///< reaction term: conductance to a place of value zero

  /// Returns Σ g u / Σ g, the value for which the net flow is zero (a Jacobi relaxation). A point
  /// that is fixed or isolated keeps its value.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real neighbours(At const& at) const {
    Real const sum = total();
    Real const mean = sum_of(at) * (Real{1} / sum);
    return fixed || !(sum > Real{0}) ? at(0, 0, 0) : mean;
  }
  /// Returns the change of neighbours() due to an inflow of `source`.
  [[nodiscard]] ISOTHERM_INLINE Real share_of(Real source) const {
    Real const sum = total();
    Real const share = source * (Real{1} / sum);
    return fixed || !(sum > Real{0}) ? Real{0} : share;
  }

  /// Returns the net flow into the point, Σ g (u − here) − reaction · here. Differences are
  /// computed first, since they are small compared with the values.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real flow(At const& at) const {
    Real const here = at(0, 0, 0);
    return sum_of([&](int di, int dj, int dk) { return at(di, dj, dk) - here; }) - reaction * here;
  }
  /// Returns the rate of change of the value due to flow().
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real inflow(At const& at) const {
    return rate_of(flow(at));
  }
  /// Returns the rate of change of the value due to an inflow of `source`.
  [[nodiscard]] ISOTHERM_INLINE Real rate_of(Real source) const {
    return fixed ? Real{0} : source * inverse_heat_capacity;
  }

  /// Returns the diagonal: Σ g plus the reaction term.
  [[nodiscard]] ISOTHERM_INLINE Real total() const {
    Real sum = (west + east) + (south + north);
    if constexpr (dimension == 3) sum += below + above;
    return sum + reaction;
  }

 private:
  /// Returns Σ g value. The two neighbours of an axis are added first, so symmetric values remain
  /// symmetric to the last bit.
  template <class Value>
  [[nodiscard]] ISOTHERM_INLINE Real sum_of(Value const& value) const {
    Real sum = west * value(-1, 0, 0) + east * value(1, 0, 0);
    sum += south * value(0, -1, 0) + north * value(0, 1, 0);
    if constexpr (dimension == 3) sum += below * value(0, 0, -1) + above * value(0, 0, 1);
    return sum;
  }
};

/// Conductances stored in fields: at each point, the conductance to the next point along each axis.
/// The conductance to the previous point is stored at that point.
///
/// A fixed point is marked by a minus sign of its conductance along x, even if that is −0.
///
/// This is a view: the fields and rows must exist until enqueued work has read them.
template <class RealType, int GridDimension>
struct Conductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = PointConductances<Real, dimension>;

  FieldView<Real const> x, y, z;  ///< each must exist one point before all swept points, along
                                  ///< its axis; z unused in 2D
  /// 1 / width of the volumes along each axis, indexed like points; 1 / V is their product. They
  /// are laid out like rows of fields: index 0 is aligned, and whole vectors can be read.
  Real const* inverse_width_x = nullptr;
  Real const* inverse_width_y = nullptr;
  Real const* inverse_width_z = nullptr;
  FieldView<Real const> inverse_capacity{};  ///< 1 / c; none: 1
  FieldView<Real const> reaction{};          ///< reaction term; none: zero

  /// The operator on a row of points along x. Pointers refer to the point at i = 0. Those of absent
  /// fields are null.
  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* along_x;
    Real const* south;
    Real const* north;
    Real const* below;
    Real const* above;
    Real const* inverse_width;
    Real inverse_area;  ///< 1 / (width_y · width_z), so 1 / V = inverse_width[i] · inverse_area
    Real const* inverse_capacity;
    Real const* reaction;

    /// Returns the conductances of point i of the row.
    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      Real const east = along_x[i];
      Point point{std::abs(along_x[i - 1]), std::abs(east), south[i], north[i], Real{0}, Real{0},
                  std::signbit(east),       Real{0}};
      if constexpr (dimension == 3) {
        point.below = below[i];
        point.above = above[i];
      }
      point.inverse_heat_capacity = inverse_width[i] * inverse_area;
      if (inverse_capacity != nullptr) point.inverse_heat_capacity *= inverse_capacity[i];
      if (reaction != nullptr) point.reaction = reaction[i];
      return point;
    }
  };

  /// Returns the operator on row (j, k).
  [[nodiscard]] ISOTHERM_INLINE Row row(std::int64_t j, std::int64_t k) const {
    Row row{&x(0, j, k),     &y(0, j - 1, k),    &y(0, j, k), nullptr, nullptr,
            inverse_width_x, inverse_width_y[j], nullptr,     nullptr};
    if constexpr (dimension == 3) {
      row.below = &z(0, j, k - 1);
      row.above = &z(0, j, k);
      row.inverse_area *= inverse_width_z[k];
    }
    if (inverse_capacity) row.inverse_capacity = &inverse_capacity(0, j, k);
    if (reaction) row.reaction = &reaction(0, j, k);
    return row;
  }
};

}  // namespace isotherm
