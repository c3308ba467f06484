#include "case/data/data_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace isotherm {

// Skips the normal axis of a face, so the remaining axes are numbered consecutively.
DataPoints::DataPoints(Grid grid, std::optional<Face> face) : grid_(std::move(grid)), face_(face) {
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    if (face && face->axis == axis) continue;
    axis_[static_cast<std::size_t>(axes_)] = axis;
    extent_[axes_++] = grid_.points[axis];
  }
}

// NumPy and HDF5 list the slowest axis first, hence the reverse order.
RequiredShape DataPoints::shape() const {
  RequiredShape shape;
  shape.whose = face_ ? "the face " + isotherm::name(*face_) + "'s" : "the grid's";
  for (int n = axes_ - 1; n >= 0; --n) {
    shape.lengths.push_back(extent_[n]);
    int const axis = axis_[static_cast<std::size_t>(n)];
    auto& coordinates = shape.coordinates.emplace_back();
    for (std::int64_t i = 0; i < extent_[n]; ++i) coordinates.push_back(grid_.coordinate(axis, i));
    shape.axes += shape.axes.empty() ? "" : ", ";
    shape.axes += "xyz"[axis];
  }
  return shape;
}

/// Returns the index of the point nearest to a coordinate; wraps around on a periodic axis, else
/// clamps.
std::int64_t DataPoints::nearest_on(int axis, double coordinate) const {
  std::int64_t const n = grid_.points[axis];
  std::int64_t const index = std::llround(grid_.position(axis, coordinate));
  if (index >= 0 && index < n) return index;
  return grid_.periodic[axis] ? (index % n + n) % n : std::clamp<std::int64_t>(index, 0, n - 1);
}

// A point of an upper face has the last index along the normal axis; of a lower face, index 0.
Index3 DataPoints::on_grid(Index3 point) const {
  Index3 global;
  for (int n = 0; n < axes_; ++n) global[axis_[static_cast<std::size_t>(n)]] = point[n];
  if (face_ && face_->upper) global[face_->axis] = grid_.points[face_->axis] - 1;
  return global;
}

// The halo of `points` may extend beyond the grid; those points have no values. Each rank asks for
// the values of its subdomain. A face belongs only to the ranks whose subdomains touch it.
GlobalBox DataPoints::of(GlobalBox const& points) const {
  Index3 const corner = on_grid({});
  if (face_ && (points.lower[face_->axis] > corner[face_->axis] ||
                points.upper[face_->axis] <= corner[face_->axis])) {
    return {};
  }
  GlobalBox box{{}, extent_};
  for (int n = 0; n < axes_; ++n) {
    int const axis = axis_[static_cast<std::size_t>(n)];
    box.lower[n] = std::max<std::int64_t>(points.lower[axis], 0);
    box.upper[n] = std::min(points.upper[axis], extent_[n]);
  }
  return box;
}

std::string DataPoints::name(Index3 point) const {
  std::string text;
  for (int n = axes_ - 1; n >= 0; --n) {
    text += (text.empty() ? "[" : ", ") + std::to_string(point[n]);
  }
  return text + ']';
}

}  // namespace isotherm
