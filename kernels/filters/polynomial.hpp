#pragma once

#include <cmath>

#include "kernels/core/arithmetic.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// The first node of the polynomial along one axis, and the weights of all nodes.
struct Nodes {
  std::int64_t first = 0;
  double weights[4]{};  // NOLINT(modernize-avoid-c-arrays): kernels index it
};

/// Represents a place without a value (EdgeMode::zero).
constexpr double nowhere = -1e30;

/// Returns the place, limited to the range in which the spline has not decayed. Splines continue
/// beyond the ends of an axis.
ISOTHERM_HOST_DEVICE inline double place_on_spline(double place, AxisInterpolation const& axis) {
  constexpr double reach = spline_reach;
  // spline_reach points beyond the ends, coefficients have decayed below rounding.
  double const last = static_cast<double>(axis.points - 1) + reach;
  if (place >= -reach && place <= last) return place;
  if (axis.edge_mode == EdgeMode::zero) return nowhere;
  return place < 0.0 ? -reach : last;
}

/// Maps a place into the axis according to its boundary treatment. Returns `nowhere` if there is no
/// value.
ISOTHERM_HOST_DEVICE inline double place_within(double place, AxisInterpolation const& axis) {
  constexpr double slack = 1e-9;  // tolerates rounding errors at the ends
  auto const last = static_cast<double>(axis.points - 1);
  if (place >= 0.0 && place <= last) return place;
  // Periodic and mirrored axes map every place into the axis, also for splines.
  bool const goes_back = axis.edge_mode == EdgeMode::wrap || axis.edge_mode == EdgeMode::mirror;
  if (axis.spline && !goes_back) return place_on_spline(place, axis);
  if (axis.edge_mode != EdgeMode::wrap && place > -slack && place < last + slack) {
    return place < 0.0 ? 0.0 : last;
  }
  switch (axis.edge_mode) {
    case EdgeMode::wrap: {
      auto const period = static_cast<double>(axis.points);
      // Rounding can give exactly `period`, which is the first point again.
      double const within = place - period * floor(place / period);
      return within >= 0.0 && within < period ? within : 0.0;  // far away, rounding dominates
    }
    case EdgeMode::mirror: {
      if (last == 0.0) return 0.0;
      double const there_and_back = 2.0 * last;
      double const within = place - there_and_back * floor(place / there_and_back);
      double const mirrored = within <= last ? within : there_and_back - within;
      return mirrored >= 0.0 && mirrored <= last ? mirrored : 0.0;  // as above
    }
    case EdgeMode::clamp:
      return place < 0.0 ? 0.0 : last;
    default:
      return nowhere;
  }
}

/// Returns the weights of the four cubic B-splines that are nonzero at a place.
ISOTHERM_HOST_DEVICE inline Nodes splines_around(double place) {
  double const below = floor(place);
  // `from` and `to` are the distances to the points below and above.
  double const from = place - below;
  double const to = 1.0 - from;
  Nodes nodes;
  nodes.first = static_cast<std::int64_t>(below) - 1;
  nodes.weights[0] = to * to * to / 6.0;
  nodes.weights[1] = 2.0 / 3.0 - 0.5 * from * from * (2.0 - from);
  nodes.weights[2] = 2.0 / 3.0 - 0.5 * to * to * (2.0 - to);
  nodes.weights[3] = from * from * from / 6.0;
  return nodes;
}

/// Returns the nodes around a place and their weights: Lagrange polynomials, or B-splines.
/// @param place  a result of place_within()
ISOTHERM_HOST_DEVICE inline Nodes nodes_around(double place, AxisInterpolation const& axis) {
  if (axis.spline) return splines_around(place);
  Nodes nodes;
  // A single node is the nearest point; half-way between two, the upper one.
  double const below = floor(axis.nodes == 1 ? place + 0.5 : place);
  nodes.first = static_cast<std::int64_t>(below) - (axis.nodes - 1) / 2;
  // Near an end the nodes are the outermost points.
  if (axis.edge_mode != EdgeMode::wrap) {
    std::int64_t const maximum = axis.points - axis.nodes;
    nodes.first = nodes.first < 0 ? 0 : nodes.first > maximum ? maximum : nodes.first;
  }
  double const at = place - static_cast<double>(nodes.first);
  for (int a = 0; a < axis.nodes; ++a) {
    double weight = 1.0;
    // The Lagrange polynomial of node a.
    for (int b = 0; b < axis.nodes; ++b) {
      if (b != a) weight *= (at - b) / (a - b);
    }
    nodes.weights[a] = weight;
  }
  return nodes;
}

/// Returns the view's index of a node.
ISOTHERM_HOST_DEVICE inline std::int64_t index_of(Nodes const& nodes, int node,
                                                  AxisInterpolation const& axis) {
  std::int64_t index = nodes.first + node;
  // Nodes of a periodic axis may be beyond an end; spline coefficients exist there.
  if (axis.edge_mode == EdgeMode::wrap && !axis.spline) {
    if (index < 0) index += axis.points;
    if (index >= axis.points) index -= axis.points;
  }
  return index - axis.first;
}

/// Returns the place of a point along an axis of the source, by the same operations on every
/// backend.
ISOTHERM_HOST_DEVICE inline double place_along(PlaceOfPoint const& place, int axis, Index3 point) {
  double sum = place.offset[axis];
  sum = multiply_add(place.step[axis][0], static_cast<double>(point.x), sum);
  sum = multiply_add(place.step[axis][1], static_cast<double>(point.y), sum);
  return multiply_add(place.step[axis][2], static_cast<double>(point.z), sum);
}

/// The operation of interpolate() at a point of the target.
template <class Node, class Real>
struct Interpolate {
  FieldView<Node const> from;
  AxisInterpolation x, y, z;
  FieldView<Real> to;
  PlaceOfPoint place;

  ISOTHERM_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) =
        static_cast<Real>(value_at(i + place.first.x, j + place.first.y, k + place.first.z));
  }

 private:
  /// Returns the interpolated value: first along x, then y, then z.
  [[nodiscard]] ISOTHERM_HOST_DEVICE double value_at(std::int64_t i, std::int64_t j,
                                                     std::int64_t k) const {
    double const at_x = place_within(place_along(place, 0, {i, j, k}), x);
    double const at_y = place_within(place_along(place, 1, {i, j, k}), y);
    double const at_z = place_within(place_along(place, 2, {i, j, k}), z);
    // Exact comparison: `nowhere` is a marker.
    if (at_x == nowhere || at_y == nowhere || at_z == nowhere) return 0.0;
    Nodes const along_x = nodes_around(at_x, x);
    Nodes const along_y = nodes_around(at_y, y);
    Nodes const along_z = nodes_around(at_z, z);
    double sum = 0.0;
    // Tensor product: rows, then planes, then the volume.
    for (int c = 0; c < z.nodes; ++c) {
      double plane = 0.0;
      for (int b = 0; b < y.nodes; ++b) {
        double row = 0.0;
        for (int a = 0; a < x.nodes; ++a) {
          Node const value =
              from(index_of(along_x, a, x), index_of(along_y, b, y), index_of(along_z, c, z));
          row = multiply_add(along_x.weights[a], static_cast<double>(value), row);
        }
        plane = multiply_add(along_y.weights[b], row, plane);
      }
      sum = multiply_add(along_z.weights[c], plane, sum);
    }
    return sum;
  }
};

}  // namespace isotherm
