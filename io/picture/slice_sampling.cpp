#include "io/picture/slice_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "decomposition/grid/nearest_plane.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/picture/range.hpp"

namespace isotherm {
namespace {

/// The points of an axis that are sampled: at most `limit`, evenly spaced, including both ends.
struct AxisSamples {
  std::int64_t first;   ///< point of the window
  std::int64_t points;  ///< in the window
  std::int64_t count;

  AxisSamples(GlobalBox const& window, int axis, std::int64_t limit)
      : first(window.lower[axis]),
        points(window.upper[axis] - window.lower[axis]),
        count(std::min(points, limit)) {}
  /// The index of a sample's point; a single sample is taken from the middle.
  [[nodiscard]] std::int64_t point(std::int64_t sample) const {
    return first + (count == 1 ? points / 2 : sample * (points - 1) / (count - 1));
  }
};

/// The samples of a slice: which points they are.
struct SliceGrid {
  Slice slice;
  GlobalBox window;
  std::int64_t limit;

  [[nodiscard]] AxisSamples columns() const { return {window, slice.right, limit}; }
  [[nodiscard]] AxisSamples rows() const { return {window, slice.up, limit}; }
};

/// Calls visit(position among the samples, global index) for the samples of a slice in `box`. The
/// order is the same on the owner and on the root, so messages need no indices.
template <class Visit>
void for_each_sample(SliceGrid const& grid, GlobalBox const& box, Visit const& visit) {
  // Positions are numbered row by row, as SliceSamples stores them.
  AxisSamples const columns = grid.columns();
  AxisSamples const rows = grid.rows();
  Index3 at;
  at[grid.slice.normal] = grid.slice.index;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    at[grid.slice.up] = rows.point(row);
    for (std::int64_t column = 0; column < columns.count; ++column) {
      at[grid.slice.right] = columns.point(column);
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
std::vector<double> own_samples(Subdomain const& subdomain, SliceGrid const& grid,
                                ValueOf const& value_of) {
  std::vector<double> values;
  Extent3 const n = subdomain.extent();
  for_each_sample(grid, subdomain.owned_global(), [&](std::size_t /*place*/, Index3 global) {
    Index3 const at = subdomain.to_local(global);
    auto const position = static_cast<std::size_t>(at.x + n.x * (at.y + n.y * at.z));
    values.push_back(static_cast<double>(value_of(position, global)));
  });
  return values;
}

/// Returns the positions of the samples on a graded axis, from 0 to 1; empty on a uniform axis.
std::vector<double> places_of(Grid const& grid, int axis, AxisSamples const& samples) {
  if (!grid.is_graded(axis) || samples.count == 1) return {};
  double const lower = grid.coordinate(axis, samples.point(0));
  double const upper = grid.coordinate(axis, samples.point(samples.count - 1));
  std::vector<double> places;
  for (std::int64_t i = 0; i < samples.count; ++i) {
    // Relative to the length, so the picture shows the true distances of a graded axis.
    places.push_back((grid.coordinate(axis, samples.point(i)) - lower) / (upper - lower));
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
SliceSamples without_values(Grid const& grid, SliceGrid const& samples) {
  SliceSamples empty{samples.columns().count, samples.rows().count};
  empty.column_places = places_of(grid, samples.slice.right, samples.columns());
  empty.row_places = places_of(grid, samples.slice.up, samples.rows());
  return empty;
}

/// Combines the numbers that all ranks have at their samples, on the root.
template <class Number>
std::vector<Number> assembled(Subdomain const& any, SliceGrid const& grid,
                              std::vector<std::string> const& parts) {
  // Every position belongs to exactly one rank, so all numbers are set below.
  std::vector<Number> numbers(static_cast<std::size_t>(grid.columns().count * grid.rows().count));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    // Repeats the owner's loop over its samples, so the n-th number belongs to the n-th position.
    GlobalBox const box = Subdomain(any.grid(), any.parts(), static_cast<int>(rank)).owned_global();
    std::size_t next = 0;
    for_each_sample(grid, box, [&](std::size_t place, Index3 /*global*/) {
      numbers[place] = static_cast<Number>(number_at(parts[rank], next++));
    });
  }
  return numbers;
}

}  // namespace

namespace {

/// The index of the plane in the middle of the window along an axis.
std::int64_t middle_of(Grid const& grid, int axis, GlobalBox const& window) {
  std::int64_t const first = window.lower[axis];
  std::int64_t const end = window.upper[axis];
  if (!grid.is_graded(axis)) return first + (end - first) / 2;
  double const lower = grid.coordinate(axis, first);
  return nearest_plane(grid, axis, lower + 0.5 * (grid.coordinate(axis, end - 1) - lower));
}

}  // namespace

std::vector<Slice> slices_of(Grid const& grid, PerAxis<std::optional<double>> const& planes,
                             std::optional<GlobalBox> const& window) {
  if (grid.dimension == 2) {
    return {{0, 1, 2, 0}};
  }
  std::vector<Slice> asked_for, middle, whole;
  // In every slice the axis to the right comes before the upward axis.
  for (Slice slice : {Slice{0, 1, 2}, Slice{0, 2, 1}, Slice{1, 2, 0}}) {
    slice.index = middle_of(grid, slice.normal, window.value_or(grid.box()));
    middle.push_back(slice);
    // A projected field, for example, is a plane. Slices across it would be lines.
    if (grid.points[slice.normal] == 1) whole.push_back(slice);
    if (auto const place = planes[slice.normal]) {
      slice.index = nearest_plane(grid, slice.normal, *place);
      asked_for.push_back(slice);
    }
  }
  if (!asked_for.empty()) return asked_for;
  return whole.size() == 1 ? whole : middle;
}

double SliceSamples::at(double right, double up) const {
  double const x = number_of(right, columns, column_places);
  double const y = number_of(up, rows, row_places);
  // At the upper end the place belongs to the last cell.
  auto const first = [](double number, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(number), 0,
                                    std::max<std::int64_t>(count - 2, 0));
  };
  std::int64_t const i = first(x, columns), i_next = std::min(i + 1, columns - 1);
  std::int64_t const j = first(y, rows), j_next = std::min(j + 1, rows - 1);
  double const right_part = x - static_cast<double>(i);
  double const up_part = y - static_cast<double>(j);
  std::array const corners{Corner{i, j, i_next, j_next}, Corner{i_next, j, i, j_next},
                           Corner{i, j_next, i_next, j}, Corner{i_next, j_next, i, j}};
  std::array<std::size_t, 4> at{};
  std::ranges::transform(corners, at.begin(),
                         [&](Corner const& corner) { return position(corner.column, corner.row); });
  bool const is_mixed = !materials.empty() && std::ranges::any_of(at, [&](std::size_t corner) {
    return materials[corner] != materials[at[0]] || is_excluded(corner);
  });
  if (is_mixed) {
    return at_surface(corners, material_at(right, up),
                      {(1.0 - right_part) * (1.0 - up_part), right_part * (1.0 - up_part),
                       (1.0 - right_part) * up_part, right_part * up_part});
  }
  // First along the rows, then between them.
  return std::lerp(std::lerp(values[at[0]], values[at[1]], right_part),
                   std::lerp(values[at[2]], values[at[3]], right_part), up_part);
}

std::optional<double> SliceSamples::gain(std::int64_t column, std::int64_t row, std::int64_t right,
                                         std::int64_t up, int material) const {
  auto const has = [&](std::int64_t i, std::int64_t j) {
    bool const exists = i >= 0 && i < columns && j >= 0 && j < rows;
    return exists && materials[position(i, j)] == material;
  };
  bool const is_step = right != 0 || up != 0;
  if (!is_step || !has(column, row) || !has(column - right, row - up)) return std::nullopt;
  auto const place = [&](std::int64_t steps) {
    return right != 0 ? place_of_column(column + steps * right) : place_of_row(row + steps * up);
  };
  double const before = values[position(column, row)] - values[position(column - right, row - up)];
  double const found = before * (place(1) - place(0)) / (place(0) - place(-1));
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

std::optional<double> SliceSamples::extrapolated(Corner const& corner, int material) const {
  auto const [column, row, opposite_column, opposite_row] = corner;
  std::int64_t const right = column - opposite_column, up = row - opposite_row;
  double sum = 0.0, number = 0.0;
  if (auto const gained = gain(opposite_column, row, right, 0, material)) {
    sum += values[position(opposite_column, row)] + *gained;
    number += 1.0;
  }
  if (auto const gained = gain(column, opposite_row, 0, up, material)) {
    sum += values[position(column, opposite_row)] + *gained;
    number += 1.0;
  }
  if (number > 0.0) return sum / number;
  auto const along_row = gain(opposite_column, opposite_row, right, 0, material);
  auto const along_column = gain(opposite_column, opposite_row, 0, up, material);
  if (!along_row || !along_column) return std::nullopt;
  return values[position(opposite_column, opposite_row)] + *along_row + *along_column;
}

double SliceSamples::at_surface(std::array<Corner, 4> const& corners, int material,
                                std::array<double, 4> const& weights) const {
  if (material == excluded) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0, of_weights = 0.0, plain_sum = 0.0, number = 0.0;
  bool has_excluded = false;
  Range corner_values{std::numeric_limits<double>::infinity(),
                      -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    std::size_t const at = position(corners[i].column, corners[i].row);
    auto const outside =
        materials[at] == material ? std::nullopt : extrapolated(corners[i], material);
    if (is_excluded(at)) {
      has_excluded = true;
      if (!outside) continue;
    } else {
      corner_values.lower = std::min(corner_values.lower, values[at]);
      corner_values.upper = std::max(corner_values.upper, values[at]);
    }
    double const value = outside.value_or(values[at]);
    sum += weights[i] * value;
    of_weights += weights[i];
    plain_sum += value;
    number += 1.0;
  }
  // The weights vanish at an excluded sample, if a surface passes close to it. NaN if all samples
  // are excluded.
  double const mean = of_weights > 0.0 ? sum / of_weights : plain_sum / number;
  // Between samples with values, the field has no values beyond theirs.
  bool const is_bounded = !has_excluded && corner_values.lower <= corner_values.upper;
  return is_bounded ? std::clamp(mean, corner_values.lower, corner_values.upper) : mean;
}

std::int64_t SliceSamples::column_at(double right) const {
  return std::lround(number_of(right, columns, column_places));
}

std::int64_t SliceSamples::row_at(double up) const {
  return std::lround(number_of(up, rows, row_places));
}

double SliceSamples::place_of_column(std::int64_t column) const {
  if (!column_places.empty()) return column_places[static_cast<std::size_t>(column)];
  return columns == 1 ? 0.5 : static_cast<double>(column) / static_cast<double>(columns - 1);
}

double SliceSamples::place_of_row(std::int64_t row) const {
  if (!row_places.empty()) return row_places[static_cast<std::size_t>(row)];
  return rows == 1 ? 0.5 : static_cast<double>(row) / static_cast<double>(rows - 1);
}

int SliceSamples::material_at(double right, double up) const {
  if (materials.empty()) return 0;
  int const nearest = materials[position(column_at(right), row_at(up))];
  if (surfaces.cells.empty()) return nearest;
  double const x = number_of(right, columns, column_places);
  double const y = number_of(up, rows, row_places);
  auto const column = std::clamp<std::int64_t>(static_cast<std::int64_t>(x), 0, columns - 2);
  auto const row = std::clamp<std::int64_t>(static_cast<std::int64_t>(y), 0, rows - 2);
  auto const cell = static_cast<std::int64_t>(position(column, row));
  auto const found = std::ranges::lower_bound(surfaces.cells, cell);
  if (found == surfaces.cells.end() || *found != cell) return nearest;
  // The part of the cell that contains the place.
  auto const part = [&](double place, std::int64_t first) {
    double const share = (place - static_cast<double>(first)) * surfaces.per_cell;
    return std::clamp(static_cast<std::int64_t>(share), std::int64_t{0},
                      std::int64_t{surfaces.per_cell - 1});
  };
  std::int64_t const number = found - surfaces.cells.begin();
  std::int64_t const in_cell = part(y, row) * surfaces.per_cell + part(x, column);
  return surfaces.materials[static_cast<std::size_t>(
      number * surfaces.per_cell * surfaces.per_cell + in_cell)];
}

namespace {

/// Returns the positions of the cells whose corners have different materials.
std::vector<std::int64_t> mixed_cells(SliceSamples const& samples) {
  std::vector<std::int64_t> cells;
  for (std::int64_t row = 0; row + 1 < samples.rows; ++row) {
    for (std::int64_t column = 0; column + 1 < samples.columns; ++column) {
      std::size_t const lower = samples.position(column, row);
      std::size_t const upper = samples.position(column, row + 1);
      int const material = samples.materials[lower];
      if (samples.materials[lower + 1] != material || samples.materials[upper] != material ||
          samples.materials[upper + 1] != material) {
        cells.push_back(static_cast<std::int64_t>(lower));
      }
    }
  }
  return cells;
}

/// Samples the materials in cells that surfaces cross.
SurfaceCells surfaces_in(SliceSamples const& samples, Grid const& grid, SliceGrid const& points,
                         SampledFunctions const& functions) {
  constexpr double max_parts = 1e6;  // of all cells, which bounds the time
  constexpr int max_per_cell = 64;
  SurfaceCells found;
  if (!functions.material_at || samples.materials.empty()) return found;
  std::vector<std::int64_t> cells = mixed_cells(samples);
  if (cells.empty()) return found;
  auto const longer = static_cast<double>(std::max(samples.columns, samples.rows) - 1);
  double const wanted = std::ceil(functions.pixels / longer);
  double const possible = std::floor(std::sqrt(max_parts / static_cast<double>(cells.size())));
  int const parts =
      static_cast<int>(std::clamp(std::min(wanted, possible), 0.0, 1.0 * max_per_cell));
  if (parts < 2) return found;
  found.per_cell = parts;
  found.cells = std::move(cells);
  Slice const& slice = points.slice;
  PerAxis<double> place{};
  place[slice.normal] = grid.coordinate(slice.normal, slice.index);
  // The coordinate of a part's centre between two samples.
  auto const centre = [&](int axis, AxisSamples const& of_axis, std::int64_t sample, int part) {
    return std::lerp(grid.coordinate(axis, of_axis.point(sample)),
                     grid.coordinate(axis, of_axis.point(sample + 1)), (part + 0.5) / parts);
  };
  AxisSamples const columns = points.columns(), rows = points.rows();
  for (std::int64_t const cell : found.cells) {
    for (int up = 0; up < parts; ++up) {
      place[slice.up] = centre(slice.up, rows, cell / samples.columns, up);
      for (int right = 0; right < parts; ++right) {
        place[slice.right] = centre(slice.right, columns, cell % samples.columns, right);
        int const material = functions.material_at(place);
        found.materials.push_back(material == functions.excluded_number ? SliceSamples::excluded
                                                                        : material);
      }
    }
  }
  return found;
}

}  // namespace

template <class Real>
std::vector<SliceSamples> sample(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 std::vector<Slice> const& slices, GlobalBox const& window,
                                 std::int64_t limit, Real const* owned,
                                 SampledFunctions const& functions, PointMask const& excluded) {
  std::vector<SliceSamples> all;
  auto const material_of = [&](std::size_t position, Index3 global) {
    return excluded[position]   ? SliceSamples::excluded
           : functions.material ? functions.material(global)
                                : 0;
  };
  bool const one_material = !functions.material && excluded.empty();
  for (Slice const slice : slices) {
    SliceGrid const grid{slice, window, limit};
    // One gather, of at most limit² numbers in all, to `numbers` on the root.
    auto const gather = [&]<class Number>(std::vector<Number>& numbers, auto const& value_of) {
      auto const parts = ranks.gather(packed(own_samples(subdomain, grid, value_of)));
      if (ranks.is_root()) numbers = assembled<Number>(subdomain, grid, parts);
    };
    auto const conductivity_along = [&](int axis) {
      return [&functions, axis](std::size_t, Index3 global) {
        return functions.conductivity(global)[axis];
      };
    };
    SliceSamples samples = without_values(subdomain.grid(), grid);
    gather(samples.values, [&](std::size_t at, Index3) { return owned[at]; });
    if (!one_material) gather(samples.materials, material_of);
    if (functions.conductivity) {
      gather(samples.conductivity_right, conductivity_along(slice.right));
      gather(samples.conductivity_up, conductivity_along(slice.up));
    }
    // Places do not belong to ranks, so the root evaluates them all.
    on_root(ranks, [&] {
      samples.surfaces = surfaces_in(samples, subdomain.grid(), grid, functions);
      all.push_back(std::move(samples));
    });
  }
  return all;
}

template std::vector<SliceSamples> sample(mpi::Communicator const&, Subdomain const&,
                                          std::vector<Slice> const&, GlobalBox const&, std::int64_t,
                                          float const*, SampledFunctions const&, PointMask const&);
template std::vector<SliceSamples> sample(mpi::Communicator const&, Subdomain const&,
                                          std::vector<Slice> const&, GlobalBox const&, std::int64_t,
                                          double const*, SampledFunctions const&, PointMask const&);

}  // namespace isotherm
