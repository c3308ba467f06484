#include "app/post/pictures/look_changes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

#include "case/basics/text/csv_table.hpp"
#include "case/sections/parts.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"

namespace isotherm::app {

namespace {

/// Returns the points within --zoom. @throws InputError
GlobalBox zoomed(std::vector<double> const& ends, Grid const& grid) {
  int const axes = axis_count(grid);
  auto const count = static_cast<std::size_t>(2 * axes);
  if (ends.size() != count) {
    throw InputError(
        fmt::format("--zoom: the field is {}D (needs {} numbers, the lower and the "
                    "upper end of each axis)",
                    axes, count));
  }
  // Along y, a grid with one axis has one point.
  PerAxis<double> lower = grid.lower;
  PerAxis<double> upper = grid.lower;
  for (int axis = 0; axis < axes; ++axis) {
    lower[axis] = ends[static_cast<std::size_t>(2 * axis)];
    upper[axis] = ends[static_cast<std::size_t>(2 * axis + 1)];
  }
  GlobalBox const points = points_between(grid, lower, upper, UpperEnd::included);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (points.lower[axis] < points.upper[axis]) continue;
    throw InputError(fmt::format(
        "--zoom: there is no point of the field between {} and {} on the {} axis (it extends from "
        "{} to {}, with a spacing of {})",
        shortest(lower[axis]), shortest(upper[axis]), "xyz"[axis], six_digits(grid.lower[axis]),
        six_digits(grid.coordinate(axis, grid.points[axis] - 1)), six_digits(grid.spacing[axis])));
  }
  return points;
}

/// Checks that the planes cross the field. @throws InputError
void check_planes(PerAxis<std::optional<double>> const& planes, Grid const& grid) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!planes[axis]) continue;
    if (grid.dimension == 2) {
      throw InputError(
          fmt::format("--slice: the field is {}D and is drawn as a whole", axis_count(grid)));
    }
    if (!is_inside(grid, axis, *planes[axis])) {
      throw InputError(fmt::format("--slice {}={}: it is {}", "xyz"[axis], shortest(*planes[axis]),
                                   outside_of(grid, axis)));
    }
  }
}

bool has_plane(PerAxis<std::optional<double>> const& planes) {
  return std::ranges::any_of(planes.values, [](auto const& plane) { return plane.has_value(); });
}

}  // namespace

bool LookChanges::needs_field() const { return arrows || has_plane(planes) || !zoom.empty(); }

void apply_drawing(LookChanges const& changes, PictureLook& look) {
  if (changes.values) look.values = changes.values;
  if (changes.contours) look.contours = changes.contours;
  if (changes.label) look.label = *changes.label;
  if (changes.colour_map) look.colour_map = *changes.colour_map;
  if (changes.width) look.width = changes.width;
  if (changes.length) look.length = *changes.length;
  if (changes.flux_unit) look.flux_unit = *changes.flux_unit;
}

void apply(LookChanges const& changes, Grid const& grid, PictureLook& look) {
  apply_drawing(changes, look);
  look.arrows = look.arrows || changes.arrows;
  check_planes(changes.planes, grid);
  if (has_plane(changes.planes)) look.planes = changes.planes;
  if (!changes.zoom.empty()) look.box = zoomed(changes.zoom, grid);
}

PerAxis<std::optional<double>> planes_in(std::vector<std::string> const& texts) {
  PerAxis<std::optional<double>> planes{};
  for (std::string const& text : texts) {
    bool const has_axis = text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == '=';
    if (!has_axis) {
      throw InputError("--slice " + text + ": give an axis and a coordinate, like z=0.5");
    }
    auto& plane = planes[text[0] - 'x'];
    if (plane) throw InputError("--slice " + text + ": there is another plane across this axis");
    auto const numbers = numbers_in("--slice", text.substr(2));
    if (numbers.size() != 1) throw InputError("--slice " + text + ": give one coordinate");
    plane = numbers.front();
  }
  return planes;
}

std::vector<double> numbers_in(std::string const& option, std::string const& text) {
  std::vector<double> numbers;
  for (std::string const& word : csv_cells(text)) {
    std::istringstream stream(word);
    double number = 0.0;
    bool const good = stream >> number && stream.eof() && std::isfinite(number);
    if (!good) throw InputError(option + " " + text + ": \"" + word + "\" is not a number");
    numbers.push_back(number);
  }
  return numbers;
}

Range range_in(std::string const& option, std::string const& text) {
  auto const ends = numbers_in(option, text);
  if (ends.size() != 2 || !(ends[0] < ends[1])) {
    throw InputError(option + " " + text + ": give two numbers in ascending order, like 0,100");
  }
  return {ends[0], ends[1]};
}

}  // namespace isotherm::app
