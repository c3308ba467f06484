#include "io/snapshot/layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <sstream>

namespace isotherm::layout {
namespace {

/// Returns the smallest spacing of the axes that have more than one point; 1 if there is none. It
/// becomes the thickness of flat images.
double smallest_spacing(Grid const& grid) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.points[axis] > 1) {
      smallest = std::min(smallest, grid.spacing[axis]);
    }
  }
  return smallest < std::numeric_limits<double>::infinity() ? smallest : 1.0;
}

}  // namespace

VtkImage vtk_image(Grid const& grid) {
  VtkImage image{false, grid.points, grid.lower, grid.spacing};
  Extent3 const n = grid.points;
  image.cells = n.x == 1 || n.y == 1 || n.z == 1;
  // Every axis has several points: they are the nodes of the image.
  if (!image.cells) {
    return image;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (n[axis] == 1) {
      image.spacing[axis] = smallest_spacing(grid);
    }
    // n points are the centres of n cells, which have n + 1 nodes.
    image.nodes[axis] += 1;
    // The first node is half a cell before the first point.
    image.origin[axis] -= 0.5 * image.spacing[axis];
  }
  return image;
}

std::vector<double> vtk_nodes(Grid const& grid, int axis) {
  VtkImage const image = vtk_image(grid);
  std::vector<double> points = coordinates_of(grid, axis);
  if (!image.cells) return points;
  // An axis of one point has no gap, so its single cell gets the image's spacing.
  double const thick = image.spacing[axis];
  bool const alone = points.size() == 1;
  std::vector<double> nodes{points.front() - 0.5 * (alone ? thick : points[1] - points[0])};
  for (std::size_t i = 1; i < points.size(); ++i) {
    // A face between two cells lies half-way between their centres.
    nodes.push_back(0.5 * (points[i - 1] + points[i]));
  }
  double const last = alone ? thick : points.back() - points[points.size() - 2];
  nodes.push_back(points.back() + 0.5 * last);
  return nodes;
}

bool is_field_name(std::string_view name) {
  // std::isalnum accepts further letters in some locales.
  auto const is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  constexpr std::size_t longest = 255;
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), is_good);
}

std::string in_one_text(std::vector<std::string> const& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> names_in(std::string const& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string group_path(Grid const& grid) {
  return std::string("/") + vtk_group + "/" + data_group(vtk_image(grid));
}

std::string dataset_path(Grid const& grid, std::string const& field) {
  return group_path(grid) + "/" + field;
}

}  // namespace isotherm::layout
