#pragma once

#include <string>
#include <vector>

namespace isotherm {

/// A marked value on an axis, with its label.
struct Tick {
  double value;
  std::string label;
};

/// Returns approximately `wanted` round values from `lower` to `upper`: multiples of 1, 2 or 5
/// times a power of ten. If both ends are equal, returns that value. Labels have as many digits as
/// distinguish neighbours.
///
///     ticks_between(0.0, 1.0, 5);      // 0, 0.2, 0.4, 0.6, 0.8, 1.0
///     ticks_between(3.0, 3.0, 5);      // 3
std::vector<Tick> ticks_between(double lower, double upper, int wanted);

}  // namespace isotherm
