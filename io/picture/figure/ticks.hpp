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

/// Returns the levels of contours: the multiples from `lower` to `upper` of 1, 2, 2.5 or 5 times a
/// power of ten. The step is chosen so that the number of levels strictly between both ends is as
/// near to `wanted` as these steps allow. Of equally good steps, 2.5 comes last, and the finer ones
/// after the coarser ones.
///
///     levels_between(0.0, 1.0, 4);     // 0, 0.2, 0.4, 0.6, 0.8, 1.0
///     levels_between(0.0, 8.0, 4);     // 0, 2, 4, 6, 8
///     levels_between(0.0, 1.0, 3);     // 0, 0.25, 0.50, 0.75, 1.00
std::vector<Tick> levels_between(double lower, double upper, int wanted);

}  // namespace isotherm
