#pragma once

#include <string>
#include <vector>

namespace isotherm {

/// A value on an axis, and how it is written there.
struct Tick {
  double value;
  std::string label;
};

/// Round values (1, 2 or 5 times a power of ten apart) from `lower` to `upper`, about `wanted` of
/// them; one where both are equal. Labels have as many digits as tell neighbours apart.
std::vector<Tick> ticks_between(double lower, double upper, int wanted);

}  // namespace isotherm
