#pragma once

#include <cstdint>
#include <vector>

namespace isotherm {

/// How gaps widen along an axis.
enum class StretchKind { tanh, geometric };

/// Which ends of an axis have narrow gaps.
enum class Towards { lower, upper, both };

struct Stretching {
  StretchKind kind = StretchKind::tanh;
  double strength = 1.0;  ///< the factor in the tangent; the widest gap in narrowest ones
  Towards towards = Towards::both;
};

/// The coordinates of so many points from `lower` to `upper`, the same bits on every machine.
/// @param points  at least 2
std::vector<double> stretched(Stretching const& stretching, std::int64_t points, double lower,
                              double upper);

}  // namespace isotherm
