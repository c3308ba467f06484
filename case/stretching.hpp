#pragma once

#include <cstdint>
#include <vector>

// Stretching functions, which place the points of a graded axis.
//
// With s from 0 to 1 along the axis: `tanh` clusters points by x(s) = 1 - tanh(δ (1 - s)) /
// tanh(δ), with narrow gaps near 0 (the one-sided hyperbolic tangent stretching). `geometric` makes
// consecutive gaps grow by a constant ratio.

namespace isotherm {

/// The stretching function of an axis.
enum class StretchKind { tanh, geometric };

/// The ends of an axis near which the gaps are narrow.
enum class Towards { lower, upper, both };

/// A stretching function with its parameters.
struct Stretching {
  StretchKind kind = StretchKind::tanh;
  /// `tanh`: the factor δ in the argument of the tangent. `geometric`: ratio of the widest gap to
  /// the narrowest.
  double strength = 1.0;
  Towards towards = Towards::both;
};

/// Computes the coordinates of `points` points from `lower` to `upper`. The result is bitwise
/// identical on every machine.
/// @param points  at least 2
std::vector<double> stretched(Stretching const& stretching, std::int64_t points, double lower,
                              double upper);

}  // namespace isotherm
