#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

// An operator that differs from point to point, as finite volumes have it: between a point and each
// of its neighbours there is a conductance g, the same seen from both. What flows into the point is
//
//   Σ g (u(neighbour) − u)
//
// which its volume V and what that holds, the capacity c, turn into a change. With ∇·κ∇u on a grid
// of spacing h, g = κ A / h, where A is the area between the two and κ the harmonic mean of theirs.
// A volume at a face of the grid is cut in half, and so are the areas that it shares with others at
// that face. No heat passes where g = 0: beyond an insulated face, or into a point that takes no
// part. On the coarser grids of a correction some is absorbed besides: led to where the correction
// is zero.

namespace isotherm {

/// A point's conductances to its neighbours.
template <class RealType, int GridDimension>
struct PointConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;

  Real west, east, south, north, below, above;  ///< below, above: unused in 2D
  bool fixed;                                   ///< the point keeps its value
  Real per_volume;                              ///< 1 / (c V)
  Real absorption = 0;                          ///< to a place whose value is zero

  /// Σ g u / Σ g, the value at which nothing flows. Where nothing can, the point keeps its own.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real neighbours(At const& at) const {
    Real const sum = total();
    Real const mean = sum_of(at) * (Real{1} / sum);
    return fixed || !(sum > Real{0}) ? at(0, 0, 0) : mean;
  }
  /// By how much that is more where `source` flows in, too.
  [[nodiscard]] ISOTHERM_INLINE Real share_of(Real source) const {
    Real const sum = total();
    Real const share = source * (Real{1} / sum);
    return fixed || !(sum > Real{0}) ? Real{0} : share;
  }

  /// Σ g (u − here), and what is absorbed.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real flow(At const& at) const {
    Real const here = at(0, 0, 0);
    return sum_of([&](int di, int dj, int dk) { return at(di, dj, dk) - here; }) -
           absorption * here;
  }
  /// The rate at which the value changes by that.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real inflow(At const& at) const {
    return rate_of(flow(at));
  }
  /// And by what flows in otherwise.
  [[nodiscard]] ISOTHERM_INLINE Real rate_of(Real source) const {
    return fixed ? Real{0} : source * per_volume;
  }

  /// Σ g, with the absorption.
  [[nodiscard]] ISOTHERM_INLINE Real total() const {
    Real sum = (west + east) + (south + north);
    if constexpr (dimension == 3) sum += below + above;
    return sum + absorption;
  }

 private:
  /// The two ends of an axis count alike, so that what is symmetric stays so to the last bit.
  template <class Value>
  [[nodiscard]] ISOTHERM_INLINE Real sum_of(Value const& value) const {
    Real sum = west * value(-1, 0, 0) + east * value(1, 0, 0);
    sum += south * value(0, -1, 0) + north * value(0, 1, 0);
    if constexpr (dimension == 3) sum += below * value(0, 0, -1) + above * value(0, 0, 1);
    return sum;
  }
};

/// Conductances in fields: those of a point to the next one along each axis; to the one before it
/// has that one's. A point that keeps its value has a minus sign at that along x (−0 counts).
template <class RealType, int GridDimension>
struct Conductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = PointConductances<Real, dimension>;

  FieldView<Real const> x, y, z;  ///< each exists one point before all that are swept, along its
                                  ///< axis; z unused in 2D
  /// 1 / width of the volumes along each axis, at the indices of the points; V is the product. They
  /// lie as the rows of fields do: index 0 is aligned, and whole vectors can be read.
  Real const* per_width_x = nullptr;
  Real const* per_width_y = nullptr;
  Real const* per_width_z = nullptr;
  FieldView<Real const> per_capacity{};  ///< 1 / c, or none where that is 1
  FieldView<Real const> absorption{};    ///< or none: zero

  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* along_x;
    Real const* south;
    Real const* north;
    Real const* below;
    Real const* above;
    Real const* per_width;
    Real per_area;
    Real const* per_capacity;
    Real const* absorption;

    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      Real const east = along_x[i];
      Point point{std::abs(along_x[i - 1]), std::abs(east), south[i], north[i], Real{0}, Real{0},
                  std::signbit(east),       Real{0}};
      if constexpr (dimension == 3) {
        point.below = below[i];
        point.above = above[i];
      }
      point.per_volume = per_width[i] * per_area;
      if (per_capacity != nullptr) point.per_volume *= per_capacity[i];
      if (absorption != nullptr) point.absorption = absorption[i];
      return point;
    }
  };

  [[nodiscard]] ISOTHERM_INLINE Row row(std::int64_t j, std::int64_t k) const {
    Row row{&x(0, j, k), &y(0, j - 1, k), &y(0, j, k), nullptr, nullptr,
            per_width_x, per_width_y[j],  nullptr,     nullptr};
    if constexpr (dimension == 3) {
      row.below = &z(0, j, k - 1);
      row.above = &z(0, j, k);
      row.per_area *= per_width_z[k];
    }
    if (per_capacity) row.per_capacity = &per_capacity(0, j, k);
    if (absorption) row.absorption = &absorption(0, j, k);
    return row;
  }
};

}  // namespace isotherm
