#include "decomposition/field/point_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

/// The order of points with x fastest.
bool comes_before(Index3 a, Index3 b) { return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x); }

bool holds(GlobalBox const& box, Index3 point) { return box.contains(point.x, point.y, point.z); }

/// Linear interpolation. With weight 0 the result is exactly `a`, even if b is not finite.
double between(double a, double b, double beyond) {
  return beyond == 0.0 ? a : (1.0 - beyond) * a + beyond * b;
}

}  // namespace

GridCell cell_around(Grid const& grid, PerAxis<double> const& place) {
  constexpr double same_point = 1e-9;
  GridCell cell{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const last = static_cast<double>(grid.intervals(axis));
    double const gaps = std::clamp(grid.position(axis, place[axis]), 0.0, last);
    // Computed coordinates of points may miss them by rounding.
    double const nearest = std::rint(gaps);
    bool const at_point = std::abs(gaps - nearest) <= same_point;
    double const lower = at_point ? nearest : std::floor(gaps);
    cell.lower[axis] = static_cast<std::int64_t>(lower);
    cell.beyond[axis] = at_point ? 0.0 : gaps - lower;
    cell.at_end[axis] = grid.periodic[axis] && cell.lower[axis] == grid.points[axis];
  }
  // A place at the upper end of a periodic axis belongs to point 0.
  cell.lower = wrapped(cell.lower, grid.box());
  return cell;
}

std::vector<CellCorner> corners_of(Grid const& grid, GridCell const& cell) {
  auto const last = [&](int axis) { return cell.beyond[axis] > 0.0 ? 1 : 0; };
  auto const share = [&](int axis, int step) {
    return step == 1 ? cell.beyond[axis] : 1.0 - cell.beyond[axis];
  };
  std::vector<CellCorner> corners;
  for (int dz = 0; dz <= last(2); ++dz) {
    for (int dy = 0; dy <= last(1); ++dy) {
      for (int dx = 0; dx <= last(0); ++dx) {
        corners.push_back({wrapped(cell.lower + Index3{dx, dy, dz}, grid.box()),
                           share(0, dx) * share(1, dy) * share(2, dz),
                           {dx, dy, dz}});
      }
    }
  }
  return corners;
}

template <class Real>
PointSampler<Real>::PointSampler(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain,
                                 std::vector<PerAxis<double>> const& places,
                                 PointSet const& excluded, PerAxis<double> const& gain)
    : ranks_(ranks), queue_(queue), subdomain_(std::move(subdomain)), gain_(gain) {
  cells_.reserve(places.size());
  for (auto const& place : places) cells_.push_back(cell_around(subdomain_.grid(), place));
  // The lists are the same on all ranks, since they depend on places, grid and set only.
  list_points();
  if (excluded) {
    excluded_.reserve(points_.size());
    for (Index3 const point : points_) excluded_.push_back(excluded(point));
  }
  list_runs();
  // A rank without points needs no buffers, but takes part in the collective sum.
  if (own_ == 0) return;
  std::size_t const bytes = static_cast<std::size_t>(own_) * sizeof(Real);
  packed_ = Buffer(queue_, Space::device, bytes);
  host_ = Buffer(queue_, Space::pinned, bytes);
}

template <class Real>
Index3 PointSampler<Real>::corner(GridCell const& cell, Index3 step) const {
  return wrapped(cell.lower + step, subdomain_.grid().box());
}

template <class Real>
double PointSampler<Real>::gain_at(GridCell const& cell, Index3 step) const {
  double sum = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    bool const wraps = cell.lower[axis] + step[axis] >= subdomain_.grid().points[axis];
    if (cell.at_end[axis] || wraps) sum += gain_[axis];
  }
  return sum;
}

template <class Real>
void PointSampler<Real>::list_points() {
  for (GridCell const& cell : cells_) {
    for (CellCorner const& corner : corners_of(subdomain_.grid(), cell)) {
      points_.push_back(corner.point);
    }
  }
  // Sorted, so points can be found by bisection, and runs along x are consecutive.
  std::ranges::sort(points_, comes_before);
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  points_.shrink_to_fit();  // most places share their points with the next ones
}

template <class Real>
std::size_t PointSampler<Real>::number_of(Index3 point) const {
  auto const found = std::ranges::lower_bound(points_, point, comes_before);
  return static_cast<std::size_t>(found - points_.begin());
}

template <class Real>
void PointSampler<Real>::list_runs() {
  for (std::size_t number = 0; number < points_.size(); ++number) {
    if (!holds(subdomain_.owned_global(), points_[number])) continue;
    Index3 const local = subdomain_.to_local(points_[number]);
    ++own_;
    // The point extends the last run if it is the next one on the same row.
    bool const follows = !runs_.empty() && runs_.back().box.upper == local + Index3{0, 1, 1};
    if (follows) {
      ++runs_.back().box.upper.x;
    } else {
      runs_.push_back({{local, local + Index3{1, 1, 1}}, number});
    }
  }
  runs_.shrink_to_fit();
}

/// Enqueues packing the runs into packed_, with as many runs per kernel as pack() accepts.
template <class Real>
void PointSampler<Real>::pack_runs(FieldView<Real const> field) {
  std::vector<PackedBox<Real>> packed_boxes;
  auto* dense = packed_.as<Real>();
  for (Run const& run : runs_) {
    packed_boxes.push_back({run.box, dense});
    dense += run.box.point_count();
    // One kernel launch per max_packed_boxes runs.
    if (packed_boxes.size() == max_packed_boxes) {
      pack(queue_, field, std::span<PackedBox<Real> const>(packed_boxes));
      packed_boxes.clear();
    }
  }
  if (!packed_boxes.empty()) pack(queue_, field, std::span<PackedBox<Real> const>(packed_boxes));
}

/// Returns the values at points_ on every rank. Exactly one rank owns each point, and the others
/// contribute 0. So the integer sum of the bit patterns is the value itself, even if it is NaN.
template <class Real>
std::vector<double> PointSampler<Real>::values_at_points(FieldView<Real const> field) {
  if (own_ > 0) {
    pack_runs(field);
    copy_bytes(queue_, host_.data(), packed_.data(), host_.bytes());
    queue_.wait();
  }
  std::vector<std::uint64_t> bits(points_.size(), 0);
  auto const* value = host_.as<Real const>();
  for (Run const& run : runs_) {
    for (std::int64_t i = 0; i < run.box.point_count(); ++i) {
      bits[run.first + static_cast<std::size_t>(i)] =
          std::bit_cast<std::uint64_t>(static_cast<double>(*value++));
    }
  }
  bits = ranks_.sum(std::move(bits));
  std::vector<double> values(bits.size());
  std::ranges::transform(bits, values.begin(),
                         [](std::uint64_t number) { return std::bit_cast<double>(number); });
  return values;
}

template <class Real>
double PointSampler<Real>::value_in(GridCell const& cell, std::vector<double> const& values) const {
  auto const at = [&](int dx, int dy, int dz) {
    Index3 const step{dx, dy, dz};
    return values[number_of(corner(cell, step))] + gain_at(cell, step);
  };
  // Corners whose weight is 0 are not in points_, so they must not be looked up.
  auto const along_x = [&](int dy, int dz) {
    double const next = cell.beyond[0] > 0.0 ? at(1, dy, dz) : 0.0;
    return between(at(0, dy, dz), next, cell.beyond[0]);
  };
  auto const along_y = [&](int dz) {
    double const next = cell.beyond[1] > 0.0 ? along_x(1, dz) : 0.0;
    return between(along_x(0, dz), next, cell.beyond[1]);
  };
  double const next = cell.beyond[2] > 0.0 ? along_y(1) : 0.0;
  return between(along_y(0), next, cell.beyond[2]);
}

template <class Real>
bool PointSampler<Real>::touches_excluded(GridCell const& cell) const {
  return !excluded_.empty() &&
         std::ranges::any_of(corners_of(subdomain_.grid(), cell), [&](CellCorner const& corner) {
           return excluded_[number_of(corner.point)];
         });
}

template <class Real>
double PointSampler<Real>::value_of_rest(GridCell const& cell,
                                         std::vector<double> const& values) const {
  double sum = 0.0;
  double weights = 0.0;
  for (CellCorner const& corner : corners_of(subdomain_.grid(), cell)) {
    std::size_t const number = number_of(corner.point);
    if (excluded_[number]) continue;
    sum += corner.weight * (values[number] + gain_at(cell, corner.step));
    weights += corner.weight;
  }
  return weights > 0.0 ? sum / weights : std::numeric_limits<double>::quiet_NaN();
}

template <class Real>
std::vector<double> PointSampler<Real>::read(FieldView<Real const> field) {
  std::vector<double> const values = values_at_points(field);
  std::vector<double> samples;
  samples.reserve(cells_.size());
  for (GridCell const& cell : cells_) {
    samples.push_back(touches_excluded(cell) ? value_of_rest(cell, values)
                                             : value_in(cell, values));
  }
  return samples;
}

template class PointSampler<float>;
template class PointSampler<double>;

}  // namespace isotherm
