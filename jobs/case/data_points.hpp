#pragma once

#include <array>
#include <optional>
#include <string>

#include "decomposition/grid/grid.hpp"
#include "io/snapshot/value_dataset.hpp"

namespace isotherm {

/// Which values of a dataset belong to which points of a grid, or of one of its faces. A point of
/// the data is counted along the dataset's own axes, the fastest first; at a face these are the
/// grid's without the one across.
class DataPoints {
 public:
  DataPoints(Grid grid, std::optional<Face> face);

  [[nodiscard]] WantedShape shape() const;
  [[nodiscard]] Extent3 extent() const { return extent_; }
  /// The one that is nearest to a place. Where an axis is periodic it goes round, beyond the ends
  /// of others the outermost is the nearest.
  [[nodiscard]] Index3 nearest(double x, double y, double z) const {
    std::array<double, 3> const place{x, y, z};
    Index3 point;
    for (int n = 0; n < axes_; ++n) {
      int const axis = axis_[static_cast<std::size_t>(n)];
      point[n] = nearest_on(axis, place[static_cast<std::size_t>(axis)]);
    }
    return point;
  }
  /// A point of the data as one of the grid.
  [[nodiscard]] Index3 on_grid(Index3 point) const;
  /// The points of the data that belong to some of the grid; none where the face is not among them.
  [[nodiscard]] GlobalBox of(GlobalBox const& points) const;
  /// "[3, 4, 5]", slowest first.
  [[nodiscard]] std::string name(Index3 point) const;
  [[nodiscard]] Grid const& grid() const { return grid_; }

 private:
  [[nodiscard]] std::int64_t nearest_on(int axis, double coordinate) const;

  Grid grid_;
  std::optional<Face> face_;
  int axes_ = 0;
  std::array<int, 3> axis_{};  ///< of the grid, for each of the data
  Extent3 extent_{1, 1, 1};
};

}  // namespace isotherm
