#include "solver/problem/variation.hpp"

namespace isotherm {

namespace {

/// Returns true if a box contains all points of a grid along an axis. Points this close to a box
/// are inside.
bool spans(Solid const& box, Grid const& grid, int axis) {
  double const slack = 1e-10 * grid.gap(axis, 0);
  Interval const between = box.between[axis];
  return between.lower <= grid.coordinate(axis, 0) + slack &&
         between.upper >= grid.upper(axis) - slack;
}

}  // namespace

PerAxis<bool> variation_of(ScalarFunction const& function) {
  return function.is_constant() ? PerAxis<bool>{} : function.varies_along;
}

PerAxis<bool> variation_of(Region const& region, Grid const& grid) {
  PerAxis<bool> varies{};
  if (!region.contains) return varies;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    bool const is_box = region.solid && region.solid->is_box();
    varies[axis] = region.varies_along[axis] && grid.points[axis] > 1 &&
                   !(is_box && spans(*region.solid, grid, axis));
  }
  return varies;
}

PerAxis<bool> variation_of(std::vector<MediumLayer> const& layers, Grid const& grid) {
  PerAxis<bool> varies{};
  for (MediumLayer const& layer : layers) {
    varies = either(varies, variation_of(layer.where, grid));
    for (ScalarFunction const& value : layer.values) varies = either(varies, variation_of(value));
  }
  return varies;
}

PerAxis<bool> either(PerAxis<bool> const& a, PerAxis<bool> const& b) {
  return {a[0] || b[0], a[1] || b[1], a[2] || b[2]};
}

}  // namespace isotherm
