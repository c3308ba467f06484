#pragma once

#include <cstdint>
#include <vector>

// Stretching functions, which place the points of a graded axis.
//
// Let s run from 0 to 1 along the axis, in equal steps from point to point.
//
// `tanh` places the points at
//
//     x(s) = 1 - tanh(δ (1 - s)) / tanh(δ)
//
// with narrow gaps near 0. This is the one-sided hyperbolic-tangent stretching; Vinokur (J. Comput.
// Phys. 50, 1983) discusses stretching functions of this family.
//
// `geometric` makes consecutive gaps grow by a constant ratio. With n gaps and the strength r, gap
// i = 0 … n - 1 is proportional to r^(i / (n - 1)).

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
/// @param lower, upper  exact coordinates of the first and the last point
/// @pre  lower < upper; the strength is above 0 for `tanh`, and at least 1 for `geometric`
std::vector<double> stretched(Stretching const& stretching, std::int64_t points, double lower,
                              double upper);

}  // namespace isotherm
