#include "solver/problem/solid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace isotherm {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Interval everywhere{-infinity, infinity};
constexpr Interval nowhere{infinity, -infinity};

double square(double value) { return value * value; }

/// Returns ∫ √(r² − x²) dx from 0 to x, for |x| <= r.
double area_below_arc(double x, double radius) {
  double const height = std::sqrt(std::max(0.0, square(radius) - square(x)));
  return 0.5 * (x * height + square(radius) * std::atan2(x, height));
}

/// Returns the area of the rectangle [0, x] × [0, y] within a disc around the origin. Both x and y
/// are between 0 and the radius; other signs follow by symmetry (signed_corner_area()).
double corner_area(double x, double y, double radius) {
  // The rectangle lies inside the disc.
  if (square(x) + square(y) <= square(radius)) return x * y;
  // The rectangle limits the area as far as the arc is higher than y; the arc limits the rest.
  double const arc_begins = std::sqrt(std::max(0.0, square(radius) - square(y)));
  return arc_begins * y + area_below_arc(x, radius) - area_below_arc(arc_begins, radius);
}

/// Returns the area that the rectangle from the origin to (x, y) shares with the disc; negative if
/// one of x and y is negative, so that differences give the area of any rectangle.
double signed_corner_area(double x, double y, double radius) {
  double const sign = (x < 0.0) == (y < 0.0) ? 1.0 : -1.0;
  return sign * corner_area(std::min(std::abs(x), radius), std::min(std::abs(y), radius), radius);
}

/// Returns the area of the rectangle that lies in the disc of a radius around the origin.
double area_in_disc(Interval x, Interval y, double radius) {
  double const area =
      (signed_corner_area(x.upper, y.upper, radius) -
       signed_corner_area(x.lower, y.upper, radius)) -
      (signed_corner_area(x.upper, y.lower, radius) - signed_corner_area(x.lower, y.lower, radius));
  return std::clamp(area, 0.0, x.length() * y.length());
}

/// Returns the smallest and the largest distance of an interval's points from a center.
double nearest(Interval interval, double center) {
  return std::max({0.0, interval.lower - center, center - interval.upper});
}
double farthest(Interval interval, double center) {
  return std::max(std::abs(interval.lower - center), std::abs(interval.upper - center));
}

/// Returns the fraction of an interval that another one covers; of a point, 0 or 1.
double covered(Interval interval, Interval by) {
  if (interval.length() == 0.0) return by.contains(interval.lower) ? 1.0 : 0.0;
  return intersection(interval, by).length() / interval.length();
}

/// Returns the chord center ± √(r² − d²) of a ball on a line at the distance d from its center;
/// empty if d > r.
Interval arc(double center, double radius, double squared_distance) {
  double const rest = square(radius) - squared_distance;
  if (rest < 0.0) return nowhere;
  double const half = std::sqrt(rest);
  return {center - half, center + half};
}

/// Returns the fraction of a cell's face that a disc covers, over two axes.
double share_of_disc(Interval x, Interval y, double center_x, double center_y, double radius) {
  x = {x.lower - center_x, x.upper - center_x};
  y = {y.lower - center_y, y.upper - center_y};
  // A line: the part of the chord.
  if (x.length() == 0.0) return covered(y, arc(0.0, radius, square(x.lower)));
  if (y.length() == 0.0) return covered(x, arc(0.0, radius, square(y.lower)));
  return area_in_disc(x, y, radius) / (x.length() * y.length());
}

/// Returns the mean over z of a function, by Gauss–Legendre quadrature with eight points on each of
/// two halves.
template <class Function>
double mean_over(Interval z, Function const& function) {
  // Abramowitz and Stegun, table 25.4.
  constexpr std::array<double, 4> nodes{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                        0.9602898564975363};
  constexpr std::array<double, 4> weights{0.3626837833783620, 0.3137066458778873,
                                          0.2223810344533745, 0.1012285362903763};
  double sum = 0.0;
  for (double const side : {-0.5, 0.5}) {
    double const middle = z.middle() + 0.5 * side * z.length();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double const away = 0.25 * nodes[i] * z.length();
      sum += weights[i] * (function(middle - away) + function(middle + away));
    }
  }
  return 0.25 * sum;
}

/// Returns the fraction of a cell that a ball covers.
double share_of_ball(PerAxis<Interval> const& cell, Solid const& ball) {
  // The fraction of the cross-section across an axis.
  auto const section = [&](int axis, double at) {
    int const first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    Interval const disc = arc(0.0, ball.radius, square(at - ball.center[axis]));
    if (disc.empty()) return 0.0;
    return share_of_disc(cell[first], cell[second], ball.center[first], ball.center[second],
                         disc.upper);
  };
  for (int axis = 0; axis < 3; ++axis) {
    if (cell[axis].length() == 0.0) return section(axis, cell[axis].lower);
  }
  // Only the ball's own heights are integrated over.
  Interval const within = intersection(cell[2], arc(ball.center[2], ball.radius, 0.0));
  if (!(within.length() > 0.0)) return 0.0;
  return mean_over(within, [&](double z) { return section(2, z); }) *
         (within.length() / cell[2].length());
}

/// Rounds a fraction to 0 or 1 if rounding may have moved it from there.
double rounded(double share) {
  constexpr double slack = 1e-12;
  return share < slack ? 0.0 : share > 1.0 - slack ? 1.0 : share;
}

}  // namespace

Interval intersection(Interval a, Interval b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

Interval Solid::chord(int axis, PerAxis<double> const& place) const {
  double squared_distance = 0.0;
  for (int other = 0; other < 3; ++other) {
    if (other == axis) continue;
    if (!between[other].contains(place[other])) return nowhere;
    if (round[other]) squared_distance += square(place[other] - center[other]);
  }
  if (round[axis]) return intersection(between[axis], arc(center[axis], radius, squared_distance));
  return squared_distance <= square(radius) || is_box() ? between[axis] : nowhere;
}

Interval Solid::some_chord(int axis, PerAxis<Interval> const& cell) const {
  PerAxis<double> place{};
  for (int other = 0; other < 3; ++other) {
    // The point of the cell that is nearest to the center, or that lies between the bounds.
    double const target =
        round[other] ? center[other]
                     : std::clamp(cell[other].middle(), between[other].lower, between[other].upper);
    place[other] = std::clamp(target, cell[other].lower, cell[other].upper);
  }
  return chord(axis, place);
}

Interval Solid::every_chord(int axis, PerAxis<Interval> const& cell) const {
  double squared_distance = 0.0;
  for (int other = 0; other < 3; ++other) {
    if (other == axis) continue;
    if (!between[other].contains(cell[other].lower) ||
        !between[other].contains(cell[other].upper)) {
      return nowhere;
    }
    if (round[other]) squared_distance += square(farthest(cell[other], center[other]));
  }
  if (round[axis]) return intersection(between[axis], arc(center[axis], radius, squared_distance));
  return squared_distance <= square(radius) || is_box() ? between[axis] : nowhere;
}

double Solid::share(PerAxis<Interval> const& cell) const {
  double share = 1.0;
  double nearest_squared = 0.0, farthest_squared = 0.0;
  int round_axes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    share *= covered(cell[axis], between[axis]);
    if (!round[axis]) continue;
    ++round_axes;
    nearest_squared += square(nearest(cell[axis], center[axis]));
    farthest_squared += square(farthest(cell[axis], center[axis]));
  }
  // Most cells lie entirely inside or outside.
  if (share == 0.0 || round_axes == 0) return rounded(share);
  if (nearest_squared > square(radius)) return 0.0;
  if (farthest_squared <= square(radius)) return rounded(share);
  if (round_axes == 3) return rounded(share * share_of_ball(cell, *this));
  int const first = round[0] ? 0 : 1, second = round[2] ? 2 : 1;
  return rounded(share *
                 share_of_disc(cell[first], cell[second], center[first], center[second], radius));
}

double Solid::measure(int dimension, PerAxis<Interval> const& within) const {
  // The part of the box that can be inside: integrating over more would cost digits.
  PerAxis<Interval> cell{};
  double volume = 1.0;
  int round_axes = 0;
  bool whole = true;
  for (int axis = 0; axis < dimension; ++axis) {
    Interval const extent = round[axis] ? arc(center[axis], radius, 0.0) : between[axis];
    cell[axis] = intersection(within[axis], extent);
    if (!(cell[axis].length() > 0.0)) return 0.0;
    volume *= cell[axis].length();
    if (!round[axis]) continue;
    ++round_axes;
    whole = whole && cell[axis] == extent;
  }
  if (round_axes == 0) return volume;
  // The fraction of its bounding box that a ball fills is π/6, and π/4 for a disc.
  if (whole) return volume * (round_axes == 3 ? M_PI / 6.0 : M_PI / 4.0);
  return volume * share(cell);
}

Solid make_box(PerAxis<double> const& lower, PerAxis<double> const& upper) {
  Solid box;
  for (int axis = 0; axis < 3; ++axis) box.between[axis] = {lower[axis], upper[axis]};
  return box;
}

Solid make_ball(int dimension, PerAxis<double> const& center, double radius) {
  return {{{everywhere, everywhere, everywhere}}, {{true, true, dimension == 3}}, center, radius};
}

Solid make_cylinder(int axis, PerAxis<double> const& center, double radius, Interval ends) {
  Solid cylinder{{{everywhere, everywhere, everywhere}}, {{true, true, true}}, center, radius};
  cylinder.round[axis] = false;
  cylinder.between[axis] = ends;
  return cylinder;
}

}  // namespace isotherm
