#pragma once

#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/snapshot/compare/tallies.hpp"

namespace isotherm {

/// Multilinear interpolation from the points of one grid, B, to the points of another, A, that lie
/// in B's box.
///
/// Along each axis u(x) = u_i + w (u_{i+1} − u_i), if x_i ≤ x < x_{i+1}. The weight w = (x − x_i) /
/// (x_{i+1} − x_i) is the relative position of x in the gap. A point that coincides with one of B
/// gets that point's value. Points coincide if they differ by at most 1e-9 of B's gap there. A
/// periodic axis of B extends to its first point a second time.
///
///   Interpolation const interpolation(a, b);
///   GlobalBox const needed = interpolation.needed(interpolation.common());
///   DenseValues<double> const of_b{needed, values};  // read before
///   double const value = interpolation.value(point, of_b);
class Interpolation {
 public:
  /// Locates all points of A on the axes of B; the cost is proportional to the sum of A's points
  /// along the axes.
  Interpolation(Grid const& a, Grid const& b);

  /// Returns the points of A that lie in B's box; may be empty.
  [[nodiscard]] GlobalBox common() const { return common_; }
  /// Returns how many of them coincide with points of B.
  [[nodiscard]] std::int64_t coinciding() const;

  /// Returns the points of B on which the values at `points` depend. On a periodic axis this box
  /// may contain one point more than B, which is the first point again. @pre `points` is not empty
  /// and lies in common()
  [[nodiscard]] GlobalBox needed(GlobalBox points) const;

  /// Returns the value at a point of common(). @param values  of a box of B that contains
  /// needed(point)
  [[nodiscard]] double value(Index3 point, DenseValues<double> const& values) const;

 private:
  /// The position of a point on an axis of B.
  struct Place {
    std::int64_t below;  ///< index of the point of B at or below
    double weight;       ///< of the next point; 0 if the point coincides with `below`
  };
  /// Returns the position of A's point `index`.
  [[nodiscard]] Place const& place(int axis, std::int64_t index) const {
    return places_[axis][static_cast<std::size_t>(index - common_.lower[axis])];
  }

  GlobalBox common_{};
  PerAxis<std::vector<Place>> places_{};  ///< of the points of common()
};

}  // namespace isotherm
