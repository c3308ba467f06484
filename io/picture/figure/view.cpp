#include "io/picture/figure/view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "decomposition/grid/nearest_plane.hpp"

namespace isotherm {
namespace {

/// The coordinates of the first and the last point of the window along an axis.
Range axis_range(Grid const& grid, int axis, GlobalBox const& window) {
  return {grid.coordinate(axis, window.lower[axis]), grid.coordinate(axis, window.upper[axis] - 1)};
}

/// The length of an axis in the picture. An axis of one point has the length of one gap.
double length_of(Grid const& grid, int axis, Range const& range) {
  return range.upper > range.lower ? range.upper - range.lower : grid.spacing[axis];
}

/// The number of arrows along both sides of a view.
struct Lattice {
  int columns, rows;
};

/// The distance of arrows that suits a view alone.
double own_pitch(View const& view) {
  constexpr double on_square = 16.0;
  constexpr double maximum = 32.0;
  double const longer = std::max(view.right_length, view.up_length);
  double const shorter = std::min(view.right_length, view.up_length);
  // Long views have more arrows along them, so that several fit across.
  return longer / std::min(maximum, on_square * std::sqrt(longer / shorter));
}

Lattice lattice_of(View const& view, double pitch) {
  auto const number = [&](double length) {
    return std::max(1, static_cast<int>(std::lround(length / pitch)));
  };
  return {number(view.right_length), number(view.up_length)};
}

/// A sample and its place along an axis.
struct Neighbour {
  double value, place;
};

/// The derivative between the neighbours of a sample that are usable; central if both are.
double slope(Neighbour here, std::optional<Neighbour> before, std::optional<Neighbour> after) {
  auto const between = [](Neighbour a, Neighbour b) {
    return (b.value - a.value) / (b.place - a.place);
  };
  if (!before && !after) return 0.0;
  if (!before) return between(here, *after);
  if (!after) return between(*before, here);
  // Second order on graded axes, too: the shorter gap has the larger weight.
  double const gap_before = here.place - before->place;
  double const gap_after = after->place - here.place;
  return (gap_after * between(*before, here) + gap_before * between(here, *after)) /
         (gap_before + gap_after);
}

/// The samples before and after a place along an axis, with their weights.
struct Neighbours {
  std::array<std::int64_t, 2> samples{};
  std::array<double, 2> weights{};
};

/// @param nearest   the sample nearest to the place
/// @param place_of  the place of a sample
template <class PlaceOf>
Neighbours neighbours_of(double place, std::int64_t nearest, std::int64_t count,
                         PlaceOf const& place_of) {
  std::int64_t const first =
      std::clamp<std::int64_t>(place < place_of(nearest) ? nearest - 1 : nearest, 0, count - 1);
  std::int64_t const next = std::min(first + 1, count - 1);
  if (next == first) return {{first, first}, {1.0, 0.0}};
  double const share = (place - place_of(first)) / (place_of(next) - place_of(first));
  return {{first, next}, {1.0 - share, share}};
}

/// Differences between samples of a view.
class Slopes {
 public:
  explicit Slopes(View const& view) : samples_(view.samples), view_(view) {}

  /// −κ ∂u/∂x along the axis to the right at a sample.
  [[nodiscard]] double flux_right(std::int64_t column, std::int64_t row) const {
    auto const at = [&](std::int64_t next) { return neighbour(column, row, next, row, true); };
    double const along = slope(*at(column), at(column - 1), at(column + 1));
    return -conductivity(samples_.conductivity_right, column, row) * along / view_.right_length;
  }
  /// Likewise along the upward axis.
  [[nodiscard]] double flux_up(std::int64_t column, std::int64_t row) const {
    auto const at = [&](std::int64_t next) { return neighbour(column, row, column, next, false); };
    double const along = slope(*at(row), at(row - 1), at(row + 1));
    return -conductivity(samples_.conductivity_up, column, row) * along / view_.up_length;
  }

 private:
  [[nodiscard]] int material(std::int64_t column, std::int64_t row) const {
    return samples_.materials.empty() ? 0 : samples_.materials[samples_.position(column, row)];
  }
  /// The other sample, if there is one of the same material.
  [[nodiscard]] std::optional<Neighbour> neighbour(std::int64_t column, std::int64_t row,
                                                   std::int64_t other_column,
                                                   std::int64_t other_row, bool to_right) const {
    bool const exists = other_column >= 0 && other_column < samples_.columns && other_row >= 0 &&
                        other_row < samples_.rows;
    if (!exists || material(other_column, other_row) != material(column, row)) return std::nullopt;
    return Neighbour{
        samples_.values[samples_.position(other_column, other_row)],
        to_right ? samples_.place_of_column(other_column) : samples_.place_of_row(other_row)};
  }
  [[nodiscard]] double conductivity(std::vector<double> const& values, std::int64_t column,
                                    std::int64_t row) const {
    return values.empty() ? 1.0 : values[samples_.position(column, row)];
  }

  SliceSamples const& samples_;
  View const& view_;
};

/// Returns the arrow at a place: the mean of the fluxes at the samples around it, of the material
/// of the place. nullopt if there are none, or the place is excluded.
std::optional<Arrow> arrow_at(View const& view, double right, double up) {
  SliceSamples const& samples = view.samples;
  Slopes const slopes(view);
  int const material = samples.material_at(right, up);
  if (material == SliceSamples::excluded) return std::nullopt;
  Neighbours const columns =
      neighbours_of(right, samples.column_at(right), samples.columns,
                    [&](std::int64_t column) { return samples.place_of_column(column); });
  Neighbours const rows =
      neighbours_of(up, samples.row_at(up), samples.rows,
                    [&](std::int64_t row) { return samples.place_of_row(row); });
  Arrow arrow{right, up, 0.0, 0.0};
  double sum = 0.0;
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 2; ++i) {
      double const weight = columns.weights[i] * rows.weights[j];
      std::int64_t const column = columns.samples[i], row = rows.samples[j];
      bool const belongs =
          samples.materials.empty() || samples.materials[samples.position(column, row)] == material;
      if (!(weight > 0.0) || !belongs) continue;
      sum += weight;
      arrow.right += weight * slopes.flux_right(column, row);
      arrow.up += weight * slopes.flux_up(column, row);
    }
  }
  if (!(sum > 0.0)) return std::nullopt;
  arrow.right /= sum;
  arrow.up /= sum;
  return arrow;
}

}  // namespace

std::string axis_label(View const& view, int axis) {
  if (view.geometry == Geometry::cartesian) return {static_cast<char>('x' + axis)};
  return axis == 0 ? "r" : "z";
}

std::vector<View> views_of(Grid const& grid, std::vector<Slice> const& slices,
                           GlobalBox const& window, std::vector<SliceSamples> samples) {
  std::vector<View> views;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Slice const slice = slices[i];
    View view{slice.right, slice.up, grid.geometry};
    view.right = axis_range(grid, slice.right, window);
    view.up = axis_range(grid, slice.up, window);
    view.right_length = length_of(grid, slice.right, view.right);
    view.up_length = length_of(grid, slice.up, view.up);
    // A 2D field has no normal axis.
    if (grid.dimension == 3) {
      view.normal_axis = std::string(1, static_cast<char>('x' + slice.normal));
      view.normal_place = grid.coordinate(slice.normal, slice.index);
    }
    view.samples = std::move(samples[i]);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<SlicePlace> marks_on(View const& view, Grid const& grid, Slice const& slice,
                                 std::vector<PerAxis<double>> const& places) {
  std::vector<SlicePlace> marks;
  for (PerAxis<double> const& place : places) {
    bool const in_plane =
        grid.dimension < 3 || nearest_plane(grid, slice.normal, place[slice.normal]) == slice.index;
    SlicePlace const mark{view.right.place(place[slice.right]), view.up.place(place[slice.up])};
    bool const in_view = mark.right >= 0.0 && mark.right <= 1.0 && mark.up >= 0.0 && mark.up <= 1.0;
    if (in_plane && in_view) marks.push_back(mark);
  }
  return marks;
}

double arrow_pitch(std::vector<View> const& views) {
  double pitch = 0.0;
  for (View const& view : views) pitch = std::max(pitch, own_pitch(view));
  return pitch;
}

double arrow_distance(std::vector<View> const& views) {
  double const pitch = arrow_pitch(views);
  double distance = pitch;
  for (View const& view : views) {
    Lattice const lattice = lattice_of(view, pitch);
    // Rows of a flat view may be closer than its columns; a single one has no neighbours.
    if (lattice.columns > 1) distance = std::min(distance, view.right_length / lattice.columns);
    if (lattice.rows > 1) distance = std::min(distance, view.up_length / lattice.rows);
  }
  return distance;
}

std::vector<Arrow> arrows_on(View const& view, double pitch) {
  SliceSamples const& samples = view.samples;
  Lattice lattice = lattice_of(view, pitch);
  // No sample has two arrows.
  lattice.columns = static_cast<int>(std::min<std::int64_t>(lattice.columns, samples.columns));
  lattice.rows = static_cast<int>(std::min<std::int64_t>(lattice.rows, samples.rows));
  std::vector<Arrow> arrows;
  for (int j = 0; j < lattice.rows; ++j) {
    for (int i = 0; i < lattice.columns; ++i) {
      auto const arrow = arrow_at(view, (i + 0.5) / lattice.columns, (j + 0.5) / lattice.rows);
      if (arrow && std::isfinite(std::hypot(arrow->right, arrow->up))) arrows.push_back(*arrow);
    }
  }
  return arrows;
}

double largest_flux(std::vector<View> const& views) {
  double largest = 0.0;
  for (View const& view : views) {
    SliceSamples const& samples = view.samples;
    Slopes const slopes(view);
    for (std::int64_t row = 0; row < samples.rows; ++row) {
      for (std::int64_t column = 0; column < samples.columns; ++column) {
        if (samples.is_excluded(samples.position(column, row))) continue;
        double const flux = std::hypot(slopes.flux_right(column, row), slopes.flux_up(column, row));
        if (std::isfinite(flux)) largest = std::max(largest, flux);
      }
    }
  }
  return largest;
}

double typical_arrow(std::vector<View> const& views) {
  constexpr double share = 0.95;
  double const pitch = arrow_pitch(views);
  std::vector<double> magnitudes;
  for (View const& view : views) {
    for (Arrow const& arrow : arrows_on(view, pitch)) {
      magnitudes.push_back(std::hypot(arrow.right, arrow.up));
    }
  }
  if (magnitudes.empty()) return 0.0;
  std::ranges::sort(magnitudes);
  auto const place = static_cast<std::size_t>(share * static_cast<double>(magnitudes.size() - 1));
  return magnitudes[place];
}

}  // namespace isotherm
