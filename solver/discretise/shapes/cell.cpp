#include "solver/discretise/shapes/cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "solver/discretise/shapes/mixture.hpp"

namespace isotherm {

namespace {

/// Surfaces this close to the end of a cell, relative to its length, do not cut it.
constexpr double slack = 1e-9;

PerAxis<double> middle_of(Cell const& cell) {
  return {cell[0].middle(), cell[1].middle(), cell[2].middle()};
}

bool contains(Region const& region, PerAxis<double> const& place) {
  return region.contains(place[0], place[1], place[2]);
}

/// Returns true if an expression says the same in the middle of a cell and at its corners.
bool is_uniform(Region const& region, Cell const& cell) {
  bool const inside = contains(region, middle_of(cell));
  for (unsigned corner = 0; corner < 8; ++corner) {
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      bool const upper = ((corner >> axis) & 1U) != 0;
      place[axis] = upper ? cell[axis].upper : cell[axis].lower;
    }
    if (contains(region, place) != inside) return false;
  }
  return true;
}

/// Returns the fraction of sampled places of a cell that are inside.
double sampled_share(Region const& region, Cell const& cell) {
  constexpr int samples = 8;
  PerAxis<int> number{};
  for (int axis = 0; axis < 3; ++axis) number[axis] = cell[axis].length() > 0.0 ? samples : 1;
  auto const place = [&](int axis, int i) {
    return cell[axis].lower + (i + 0.5) / number[axis] * cell[axis].length();
  };
  int inside = 0;
  for (int k = 0; k < number[2]; ++k) {
    for (int j = 0; j < number[1]; ++j) {
      for (int i = 0; i < number[0]; ++i) {
        if (region.contains(place(0, i), place(1, j), place(2, k))) ++inside;
      }
    }
  }
  return static_cast<double>(inside) / (number[0] * number[1] * number[2]);
}

/// Cuts all cells at a coordinate, if it lies inside of them.
void cut_at(std::vector<Cell>& cells, int axis, double at) {
  std::size_t const before = cells.size();
  for (std::size_t i = 0; i < before; ++i) {
    double const margin = slack * cells[i][axis].length();
    if (!(at > cells[i][axis].lower + margin && at < cells[i][axis].upper - margin)) continue;
    Cell above = cells[i];
    above[axis].lower = at;
    cells[i][axis].upper = at;
    cells.push_back(above);
  }
}

/// Returns the mean of a layered property over one part of a control volume.
double mean_over(std::vector<MediumLayer> const& layers, Cell const& whole,
                 PerAxis<double> const& point) {
  double sum = 0.0;
  double const volume = volume_of(whole);
  for (Cell const& cell : cut_by_boxes(whole, layers)) {
    Mixture mixture(layers.size());
    for (std::size_t i = 1; i < layers.size(); ++i) {
      mixture.set_share(i, covered_share(layers[i].where, cell, point));
    }
    sum += volume_of(cell) / volume * mixture.mean([&](std::size_t layer) {
      MediumLayer const& of = layers[layer];
      // A cell that is not cut has the value of its point.
      auto const& [x, y, z] = of.at_points || cell == whole ? point.values : middle_of(cell).values;
      return of.values[0](x, y, z, 0.0);
    });
  }
  return sum;
}

}  // namespace

std::array<Interval, 2> volume_intervals(Grid const& grid, int axis, std::int64_t index) {
  constexpr Interval none{1.0, 0.0};
  double const at = grid.coordinate(axis, index);
  std::int64_t const n = grid.points[axis];
  if (axis >= grid.dimension || n == 1) return {Interval{at, at}, none};
  bool const begins = index == 0, ends = index == n - 1;
  bool const has_next = !ends || grid.periodic[axis];
  Interval const own{begins ? at : at - 0.5 * grid.gap(axis, index - 1),
                     has_next ? at + 0.5 * grid.gap(axis, index) : at};
  if (!begins || !grid.periodic[axis]) return {own, none};
  double const upper = grid.upper(axis);
  return {own, Interval{upper - 0.5 * grid.gap(axis, n - 1), upper}};
}

double volume_of(Cell const& cell) {
  double volume = 1.0;
  for (Interval const& interval : cell) {
    if (interval.length() > 0.0) volume *= interval.length();
  }
  return volume;
}

double covered_share(Region const& region, Cell const& cell, PerAxis<double> const& point) {
  if (region.solid) return region.solid->share(cell);
  if (region.at_points || is_uniform(region, cell)) return contains(region, point) ? 1.0 : 0.0;
  return sampled_share(region, cell);
}

std::vector<Cell> cut_by_boxes(Cell const& cell, std::vector<MediumLayer> const& layers,
                               int except) {
  std::vector<Cell> cells{cell};
  for (MediumLayer const& layer : layers) {
    if (!layer.where.solid) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == except) continue;
      // A cylinder's ends are flat, too.
      Interval const between = layer.where.solid->between[axis];
      cut_at(cells, axis, between.lower);
      cut_at(cells, axis, between.upper);
    }
  }
  return cells;
}

ScalarFunction volume_mean(Grid const& grid, std::vector<MediumLayer> layers) {
  ScalarFunction function;
  auto const shared = std::make_shared<std::vector<MediumLayer> const>(std::move(layers));
  function.evaluate = [grid, shared](double x, double y, double z, double) {
    Index3 global;
    PerAxis<double> const point{x, y, z};
    for (int axis = 0; axis < grid.dimension; ++axis) {
      auto const nearest = static_cast<std::int64_t>(std::rint(grid.position(axis, point[axis])));
      global[axis] = std::clamp<std::int64_t>(nearest, 0, grid.points[axis] - 1);
    }
    double sum = 0.0, volume = 0.0;
    for_each_part(grid, global, [&](Cell const& part) {
      sum += volume_of(part) * mean_over(*shared, part, point);
      volume += volume_of(part);
    });
    return sum / volume;
  };
  return function;
}

}  // namespace isotherm
