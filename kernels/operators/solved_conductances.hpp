#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// A point's conductances to its neighbours, and the reciprocal of all that it conducts: what a
/// relaxation asks for, and no more.
template <class RealType, int GridDimension>
struct SolvedPointConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;

  Real west, east, south, north, below, above;  ///< below, above: unused in 2D
  Real per_total;

  /// Σ g u / Σ g, the value at which nothing flows.
  template <class At>
  [[nodiscard]] ISOTHERM_INLINE Real neighbours(At const& at) const {
    Real sum = multiply_add(east, at(1, 0, 0), west * at(-1, 0, 0));
    sum = multiply_add(south, at(0, -1, 0), sum);
    sum = multiply_add(north, at(0, 1, 0), sum);
    if constexpr (dimension == 3) {
      sum = multiply_add(below, at(0, 0, -1), sum);
      sum = multiply_add(above, at(0, 0, 1), sum);
    }
    return sum * per_total;
  }
  /// By how much that is more where `source` flows in, too.
  [[nodiscard]] ISOTHERM_INLINE Real share_of(Real source) const { return source * per_total; }
};

/// Conductances of a correction in fields (Conductances), of which a relaxation was solved for: it
/// multiplies, where those divide. Where per_total is zero, at points that keep zero or conduct
/// nothing, the value has to be zero, and stays so: then neither they nor the mark at their
/// conductance along x count anywhere.
template <class RealType, int GridDimension>
struct SolvedConductances {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;
  static constexpr bool differs_between_points = true;
  using Point = SolvedPointConductances<Real, dimension>;

  FieldView<Real const> x, y, z;    ///< each exists one point before all that are swept, along its
                                    ///< axis; z unused in 2D
  FieldView<Real const> per_total;  ///< 1 / Σ g, with what is absorbed; 0 of points that keep zero

  struct Row {
    using Real = RealType;
    static constexpr int dimension = GridDimension;
    static constexpr int radius = 1;

    Real const* along_x;
    Real const* south;
    Real const* north;
    Real const* below;
    Real const* above;
    Real const* per_total;

    [[nodiscard]] ISOTHERM_INLINE Point point(std::int64_t i) const {
      Point point{along_x[i - 1], along_x[i], south[i], north[i], Real{0}, Real{0}, per_total[i]};
      if constexpr (dimension == 3) {
        point.below = below[i];
        point.above = above[i];
      }
      return point;
    }
  };

  [[nodiscard]] ISOTHERM_INLINE Row row(std::int64_t j, std::int64_t k) const {
    Row row{&x(0, j, k), &y(0, j - 1, k), &y(0, j, k), nullptr, nullptr, &per_total(0, j, k)};
    if constexpr (dimension == 3) {
      row.below = &z(0, j, k - 1);
      row.above = &z(0, j, k);
    }
    return row;
  }
};

}  // namespace isotherm
