#include "solver/problem/radial_share.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {

namespace {

double square(double value) { return value * value; }

/// Returns ∫∫ x dx dy over the part of the rectangle [0, x] × [0, y] in a disc around the origin;
/// negative if y is.
double signed_corner_moment(double x, double y, double radius) {
  double const sign = y < 0.0 ? -1.0 : 1.0;
  x = std::min(std::abs(x), radius);
  y = std::min(std::abs(y), radius);
  // Up to the height at which the arc begins, x limits the rectangle; the arc limits the rest.
  double const arc_begins = std::min(y, std::sqrt(std::max(0.0, square(radius) - square(x))));
  double const beyond = y - arc_begins;
  double const squares = square(y) + y * arc_begins + square(arc_begins);
  return sign * 0.5 * (square(x) * arc_begins + beyond * (square(radius) - squares / 3.0));
}

/// Returns ∫∫ x dx dy over the part of a rectangle in the disc of a radius around the origin.
double moment_in_disc(Interval x, Interval y, double radius) {
  return (signed_corner_moment(x.upper, y.upper, radius) -
          signed_corner_moment(x.lower, y.upper, radius)) -
         (signed_corner_moment(x.upper, y.lower, radius) -
          signed_corner_moment(x.lower, y.lower, radius));
}

/// Rounds a fraction to 0 or 1 if rounding may have moved it from there.
double rounded(double share) {
  constexpr double slack = 1e-12;
  return share < slack ? 0.0 : share > 1.0 - slack ? 1.0 : share;
}

}  // namespace

double share_in_space(Grid const& grid, Solid const& solid, PerAxis<Interval> const& cell) {
  double const plain = solid.share(cell);
  bool const is_weighted = grid.is_radial(0) && cell[0].length() > 0.0;
  if (!is_weighted || plain == 0.0 || plain == 1.0) return plain;
  double const whole = grid.measure(0, cell[0].lower, cell[0].upper);
  // The part of the radii between two bounds, relative to all of them.
  auto const of_radii = [&](Interval bounds) {
    Interval const part = intersection(bounds, cell[0]);
    return part.empty() ? 0.0 : grid.measure(0, part.lower, part.upper) / whole;
  };
  if (solid.is_box()) {
    Interval const heights = intersection(solid.between[1], cell[1]);
    double const of_heights =
        cell[1].length() > 0.0 ? heights.length() / cell[1].length() : 1.0;  // a line is inside
    return rounded(of_radii(solid.between[0]) * of_heights);
  }
  PerAxis<double> const place{solid.center[0], cell[1].lower, cell[2].lower};
  if (cell[1].length() == 0.0) return rounded(of_radii(solid.chord(0, place)));
  // ∫∫ r dr dy over the disc: its area times the center's radius, and the moment about the center.
  Interval const x{cell[0].lower - solid.center[0], cell[0].upper - solid.center[0]};
  Interval const y{cell[1].lower - solid.center[1], cell[1].upper - solid.center[1]};
  double const area = x.length() * y.length();
  double const part = solid.center[0] * plain * area + moment_in_disc(x, y, solid.radius);
  return rounded(std::clamp(part / (cell[0].middle() * area), 0.0, 1.0));
}

}  // namespace isotherm
