#pragma once

#include <array>
#include <optional>
#include <string>

#include "decomposition/grid/grid.hpp"
#include "io/values/value_source.hpp"

namespace isotherm {

/// Maps between the points of a grid, or of one of its faces, and the values of a dataset.
///
/// Indices of the dataset are along its own axes, the fastest first. At a face, these are the
/// grid's axes without the normal one. The dataset of a face of a 3D grid therefore has two axes.
class DataPoints {
 public:
  /// @param face  the face whose points have values; none: all points of the grid
  DataPoints(Grid grid, std::optional<Face> face);

  /// Returns the shape that the dataset must have, in NumPy's order (slowest first).
  [[nodiscard]] RequiredShape shape() const;
  /// Returns the number of values along each axis of the dataset; 1 for unused axes.
  [[nodiscard]] Extent3 extent() const { return extent_; }
  /// Returns the index of the value nearest to a place. Periodic axes wrap around. On other axes,
  /// places outside of the grid map to the outermost point.
  [[nodiscard]] Index3 nearest(double x, double y, double z) const {
    std::array<double, 3> const place{x, y, z};
    Index3 point;
    for (int n = 0; n < axes_; ++n) {
      int const axis = axis_[static_cast<std::size_t>(n)];
      point[n] = nearest_on(axis, place[static_cast<std::size_t>(axis)]);
    }
    return point;
  }
  /// Returns the grid point of a value.
  [[nodiscard]] Index3 on_grid(Index3 point) const;
  /// Returns the values of the grid points in a box; an empty box if the face does not intersect
  /// it.
  [[nodiscard]] GlobalBox of(GlobalBox const& points) const;
  /// Returns the index of a value for messages: "[3, 4, 5]", slowest first as in HDF5.
  [[nodiscard]] std::string name(Index3 point) const;
  [[nodiscard]] Grid const& grid() const { return grid_; }

 private:
  /// Returns the index of the grid's point nearest to a coordinate of a grid axis.
  [[nodiscard]] std::int64_t nearest_on(int axis, double coordinate) const;

  Grid grid_;
  std::optional<Face> face_;
  /// Number of axes of the dataset.
  int axes_ = 0;
  std::array<int, 3> axis_{};  ///< the grid's axis for each axis of the dataset
  /// Number of values along each axis of the dataset.
  Extent3 extent_{1, 1, 1};
};

}  // namespace isotherm
