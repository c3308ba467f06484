#include "io/picture/slice_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "decomposition/grid/nearest_plane.hpp"

namespace isotherm {
namespace {

/// The points of an axis that are sampled: at most `limit`, evenly spaced, including both ends.
struct AxisSamples {
  std::int64_t points;
  std::int64_t count;

  AxisSamples(std::int64_t all, std::int64_t limit) : points(all), count(std::min(all, limit)) {}
  /// The index of a sample's point; a single sample is taken from the middle.
  [[nodiscard]] std::int64_t point(std::int64_t sample) const {
    return count == 1 ? points / 2 : sample * (points - 1) / (count - 1);
  }
};

/// Calls visit(position among the samples, global index) for the samples of a slice in `box`. The
/// order is the same on the owner and on the root, so messages need no indices.
template <class Visit>
void for_each_sample(Slice slice, Extent3 points, std::int64_t limit, GlobalBox box,
                     Visit const& visit) {
  // Positions are numbered row by row, as SliceSamples stores them.
  AxisSamples const columns(points[slice.right], limit);
  AxisSamples const rows(points[slice.up], limit);
  Index3 at;
  at[slice.normal] = slice.index;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    at[slice.up] = rows.point(row);
    for (std::int64_t column = 0; column < columns.count; ++column) {
      at[slice.right] = columns.point(column);
      // A rank outside the slice has no samples, but takes part in the gather.
      if (box.contains(at.x, at.y, at.z)) {
        visit(static_cast<std::size_t>(row * columns.count + column), at);
      }
    }
  }
}

/// Converts numbers to raw bytes, which Communicator::gather() sends as a text.
std::string packed(std::vector<double> const& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  if (!values.empty()) {  // a rank outside the slice has no values, and data() may be null
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

/// Number `index` of packed numbers.
double number_at(std::string const& bytes, std::size_t index) {
  double value = 0.0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

/// This rank's samples of a slice.
/// @param value_of  number of a point, from its position among the owned ones and its global index
template <class ValueOf>
std::vector<double> own_samples(Subdomain const& subdomain, Slice slice, std::int64_t limit,
                                ValueOf const& value_of) {
  std::vector<double> values;
  Extent3 const n = subdomain.extent();
  for_each_sample(slice, subdomain.grid().points, limit, subdomain.owned_global(),
                  [&](std::size_t /*place*/, Index3 global) {
                    Index3 const at = subdomain.to_local(global);
                    auto const position =
                        static_cast<std::size_t>(at.x + n.x * (at.y + n.y * at.z));
                    values.push_back(static_cast<double>(value_of(position, global)));
                  });
  return values;
}

/// Returns the positions of the samples on a graded axis, from 0 to 1; empty on a uniform axis.
std::vector<double> places_of(Grid const& grid, int axis, std::int64_t limit) {
  if (!grid.is_graded(axis)) return {};
  AxisSamples const samples(grid.points[axis], limit);
  std::vector<double> places;
  for (std::int64_t i = 0; i < samples.count; ++i) {
    // Relative to the length, so the picture shows the true distances of a graded axis.
    double const at = grid.coordinate(axis, samples.point(i)) - grid.lower[axis];
    places.push_back(at / grid.length(axis));
  }
  return places;
}

/// Returns the fractional index among the samples of a position from 0 to 1.
double number_of(double place, std::int64_t count, std::vector<double> const& places) {
  if (places.empty()) return place * static_cast<double>(count - 1);
  // The first and the last interval extend to the ends.
  auto const above = std::upper_bound(places.begin() + 1, places.end() - 1, place);
  double const share = (place - *(above - 1)) / (*above - *(above - 1));
  return static_cast<double>(above - places.begin() - 1) + std::clamp(share, 0.0, 1.0);
}

/// The samples of a slice, without values.
SliceSamples without_values(Grid const& grid, Slice slice, std::int64_t limit) {
  SliceSamples samples{std::min(grid.points[slice.right], limit),
                       std::min(grid.points[slice.up], limit)};
  samples.column_places = places_of(grid, slice.right, limit);
  samples.row_places = places_of(grid, slice.up, limit);
  return samples;
}

/// Combines the numbers that all ranks have at their samples, on the root.
template <class Number>
std::vector<Number> assembled(Subdomain const& any, Slice slice, std::int64_t limit,
                              std::vector<std::string> const& parts) {
  Grid const& grid = any.grid();
  // Every position belongs to exactly one rank, so all numbers are set below.
  std::vector<Number> numbers(static_cast<std::size_t>(std::min(grid.points[slice.right], limit) *
                                                       std::min(grid.points[slice.up], limit)));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    // Repeats the owner's loop over its samples, so the n-th number belongs to the n-th position.
    GlobalBox const box = Subdomain(grid, any.parts(), static_cast<int>(rank)).owned_global();
    std::size_t next = 0;
    for_each_sample(slice, grid.points, limit, box, [&](std::size_t place, Index3 /*global*/) {
      numbers[place] = static_cast<Number>(number_at(parts[rank], next++));
    });
  }
  return numbers;
}

}  // namespace

namespace {

/// The index of the plane in the middle of an axis.
std::int64_t middle_of(Grid const& grid, int axis) {
  if (!grid.is_graded(axis)) return grid.points[axis] / 2;
  return nearest_plane(grid, axis, grid.lower[axis] + 0.5 * grid.length(axis));
}

}  // namespace

std::vector<Slice> slices_of(Grid const& grid, PerAxis<std::optional<double>> const& planes) {
  if (grid.dimension == 2) {
    return {{0, 1, 2, 0}};
  }
  std::vector<Slice> asked_for, middle;
  // In every slice the axis to the right comes before the upward axis.
  for (Slice slice : {Slice{0, 1, 2}, Slice{0, 2, 1}, Slice{1, 2, 0}}) {
    slice.index = middle_of(grid, slice.normal);
    middle.push_back(slice);
    if (auto const place = planes[slice.normal]) {
      slice.index = nearest_plane(grid, slice.normal, *place);
      asked_for.push_back(slice);
    }
  }
  return asked_for.empty() ? middle : asked_for;
}

double SliceSamples::at(double right, double up) const {
  double const x = number_of(right, columns, column_places);
  double const y = number_of(up, rows, row_places);
  // At the upper end both samples are the last one, and the weight does not matter.
  auto const i = std::clamp<std::int64_t>(static_cast<std::int64_t>(x), 0, columns - 1);
  auto const j = std::clamp<std::int64_t>(static_cast<std::int64_t>(y), 0, rows - 1);
  std::int64_t const i_next = std::min(i + 1, columns - 1);
  std::int64_t const j_next = std::min(j + 1, rows - 1);
  auto const position = [&](std::int64_t column, std::int64_t row) {
    return static_cast<std::size_t>(row * columns + column);
  };
  double const right_part = x - static_cast<double>(i);
  double const up_part = y - static_cast<double>(j);
  std::array const corners{position(i, j), position(i_next, j), position(i, j_next),
                           position(i_next, j_next)};
  if (std::ranges::any_of(corners, [&](std::size_t corner) { return is_excluded(corner); })) {
    return material_at(right, up) == excluded ? std::numeric_limits<double>::quiet_NaN()
                                              : mean_of_rest(corners, right_part, up_part);
  }
  // First along the rows, then between them.
  return std::lerp(std::lerp(values[corners[0]], values[corners[1]], right_part),
                   std::lerp(values[corners[2]], values[corners[3]], right_part), up_part);
}

double SliceSamples::mean_of_rest(std::array<std::size_t, 4> const& corners, double right_part,
                                  double up_part) const {
  std::array const weights{(1.0 - right_part) * (1.0 - up_part), right_part * (1.0 - up_part),
                           (1.0 - right_part) * up_part, right_part * up_part};
  double sum = 0.0;
  double of_weights = 0.0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (is_excluded(corners[i])) continue;
    sum += weights[i] * values[corners[i]];
    of_weights += weights[i];
  }
  return sum / of_weights;
}

int SliceSamples::material_at(double right, double up) const {
  if (materials.empty()) return 0;
  auto const column = std::lround(number_of(right, columns, column_places));
  auto const row = std::lround(number_of(up, rows, row_places));
  return materials[static_cast<std::size_t>(row * columns + column)];
}

template <class Real>
std::vector<SliceSamples> sample(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 std::vector<Slice> const& slices, std::int64_t limit,
                                 Real const* owned, MaterialNumber const& material,
                                 PointMask const& excluded) {
  std::vector<SliceSamples> all;
  // One gather, of at most limit² numbers in all.
  auto const gathered = [&](Slice slice, auto const& value_of) {
    return ranks.gather(packed(own_samples(subdomain, slice, limit, value_of)));
  };
  auto const material_of = [&](std::size_t position, Index3 global) {
    return excluded[position] ? SliceSamples::excluded : material ? material(global) : 0;
  };
  bool const one_material = !material && excluded.empty();
  for (Slice const slice : slices) {
    SliceSamples samples = without_values(subdomain.grid(), slice, limit);
    auto const values = gathered(slice, [&](std::size_t at, Index3) { return owned[at]; });
    // gather() returns the parts on the root only.
    if (ranks.is_root()) samples.values = assembled<double>(subdomain, slice, limit, values);
    if (!one_material) {
      auto const materials = gathered(slice, material_of);
      if (ranks.is_root()) samples.materials = assembled<int>(subdomain, slice, limit, materials);
    }
    if (ranks.is_root()) all.push_back(std::move(samples));
  }
  return all;
}

template std::vector<SliceSamples> sample(mpi::Communicator const&, Subdomain const&,
                                          std::vector<Slice> const&, std::int64_t, float const*,
                                          MaterialNumber const&, PointMask const&);
template std::vector<SliceSamples> sample(mpi::Communicator const&, Subdomain const&,
                                          std::vector<Slice> const&, std::int64_t, double const*,
                                          MaterialNumber const&, PointMask const&);

}  // namespace isotherm
