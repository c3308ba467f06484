#pragma once

#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/snapshot/tallies.hpp"

namespace isotherm {

/// From the values at the points of one grid, B, to those at the points of another, A, that lie in
/// B's box: linear along each axis, and where a point is one of B's its own value. "One of B's" is
/// what differs by no more than a billionth of its gap there. A periodic axis of B reaches to its
/// first point once more.
class Interpolation {
 public:
  Interpolation(Grid const& a, Grid const& b);

  /// A's points that lie in B's box; may be empty.
  [[nodiscard]] GlobalBox common() const { return common_; }
  /// How many of them are points of B.
  [[nodiscard]] std::int64_t coinciding() const;

  /// B's points that the values at `points`, some of common(), depend on. On a periodic axis this
  /// box may have one point more than B: the first.
  [[nodiscard]] GlobalBox needed(GlobalBox points) const;

  /// The value at a point of common(). @param values  of a box of B's that holds needed(point)
  [[nodiscard]] double value(Index3 point, DenseValues<double> const& values) const;

 private:
  /// Where a point lies on an axis of B.
  struct Place {
    std::int64_t below;
    double weight;  ///< of the next point; 0 where it is that point
  };
  [[nodiscard]] Place const& place(int axis, std::int64_t index) const {
    return places_[axis][static_cast<std::size_t>(index - common_.lower[axis])];
  }

  GlobalBox common_{};
  PerAxis<std::vector<Place>> places_{};  ///< of the points of common()
};

}  // namespace isotherm
