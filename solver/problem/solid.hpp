#pragma once

#include "kernels/core/box.hpp"

// Solids: boxes, balls and cylinders with exact lengths, areas and volumes.
//
// A discretisation needs the fractions that a solid covers of links between points, of faces
// between control volumes, and of control volumes. For these three shapes the fractions have closed
// forms, so no sampling is needed. The one exception is the volume that a ball covers of a cell: it
// is the integral over z of exact areas, by Gauss–Legendre quadrature.

namespace isotherm {

/// A closed interval of a coordinate; empty if lower > upper. The ends may be infinite.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;

  [[nodiscard]] bool empty() const { return lower > upper; }
  /// Returns the length, 0 if the interval is empty.
  [[nodiscard]] double length() const { return empty() ? 0.0 : upper - lower; }
  [[nodiscard]] double middle() const { return 0.5 * lower + 0.5 * upper; }
  [[nodiscard]] bool contains(double place) const { return lower <= place && place <= upper; }
  friend bool operator==(Interval const&, Interval const&) = default;
};

/// Returns the points that both intervals contain.
Interval intersection(Interval a, Interval b);

/// A box, a ball or a cylinder along an axis: the product of intervals along some axes and of a
/// ball (or disc) over the others. It is convex and closed.
///
///     Solid const slab = make_box({0.0, 0.3, 0.0}, {1.0, 0.7, 1.0});
///     slab.chord(1, {0.5, 0.0, 0.5});               // [0.3, 0.7] along y
///     slab.share({{{0, 1}, {0.2, 0.4}, {0, 1}}});   // 0.5
struct Solid {
  PerAxis<Interval> between{};  ///< bounds along each axis; those of a ball are infinite
  PerAxis<bool> round{};        ///< the axes over which the solid is a ball or disc
  PerAxis<double> center{};     ///< of the ball, along round axes
  double radius = 0.0;          ///< of the ball; unused if no axis is round

  /// True if the solid is a box, so all its surfaces are perpendicular to axes.
  [[nodiscard]] bool is_box() const { return !round[0] && !round[1] && !round[2]; }

  /// Returns the part of the line along `axis` through `place` that is inside. A line that only
  /// touches a ball has a chord of length zero.
  [[nodiscard]] Interval chord(int axis, PerAxis<double> const& place) const;

  /// Return the part of lines along `axis` through the cross-section of `cell` that is inside: the
  /// part inside on at least one line (the union), and the part inside on every line (the
  /// intersection). The interval of `cell` along `axis` is ignored.
  [[nodiscard]] Interval some_chord(int axis, PerAxis<Interval> const& cell) const;
  [[nodiscard]] Interval every_chord(int axis, PerAxis<Interval> const& cell) const;

  /// Returns the fraction of a cell that is inside, between 0 and 1. An axis on which the cell has
  /// no length is not integrated over: the fraction is that of a face, of a line, or 0 or 1.
  /// Fractions within 1e-12 of 0 or 1 are rounded to them.
  [[nodiscard]] double share(PerAxis<Interval> const& cell) const;

  /// Returns the volume (in 2D: the area) of the part within a box.
  [[nodiscard]] double measure(int dimension, PerAxis<Interval> const& within) const;
};

/// Returns the closed box lower <= coordinate <= upper. It is unbounded along an axis whose bounds
/// are infinite.
Solid make_box(PerAxis<double> const& lower, PerAxis<double> const& upper);
/// Returns the ball of a radius around a center; in 2D the disc.
Solid make_ball(int dimension, PerAxis<double> const& center, double radius);
/// Returns the cylinder around the line along `axis` through `center`, between two ends.
Solid make_cylinder(int axis, PerAxis<double> const& center, double radius, Interval ends);

}  // namespace isotherm
