#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/expressions/program.hpp"
#include "solver/problem/medium.hpp"

namespace isotherm {

/// A Region::contains that is an expression.
///
/// The level is a program in x, y and z that is positive if the expression is true and negative if
/// it is false, such as r² − x² − y² for x² + y² < r². Interpolation finds its zero in a few
/// evaluations, so surfaces need not be found by bisection of true and false. If an operand of the
/// expression is NaN, the sign of the level has no meaning.
///
///     region.contains = CompiledCondition{function, blocks, level};
///     if (auto const* const condition = condition_with_level(region)) …
struct CompiledCondition {
  static constexpr Interval anywhere{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

  ScalarFunction function{};                            ///< nonzero inside; NaN is outside
  std::shared_ptr<RegionBlocks const> blocks{};         ///< where it need not be evaluated, or null
  std::shared_ptr<expressions::Program const> level{};  ///< null if it is not known
  /// Places outside have the values of the nearest ones inside (continued_region.hpp).
  PerAxis<Interval> within{anywhere, anywhere, anywhere};

  bool operator()(double x, double y, double z) const {
    move_within(x, y, z);
    Certainty const known = blocks ? blocks->at(x, y, z) : Certainty::unknown;
    if (known != Certainty::unknown) return known == Certainty::inside;
    double const value = function(x, y, z, 0.0);
    return value != 0.0 && !std::isnan(value);
  }
  /// Returns the level at a place. @pre it is known
  [[nodiscard]] double level_at(PerAxis<double> place) const {
    auto& [x, y, z] = place.values;
    move_within(x, y, z);
    return level->evaluate({x, y, z, 0.0, 0.0, 0.0});
  }

 private:
  void move_within(double& x, double& y, double& z) const {
    x = std::clamp(x, within[0].lower, within[0].upper);
    y = std::clamp(y, within[1].lower, within[1].upper);
    z = std::clamp(z, within[2].lower, within[2].upper);
  }
};

/// Returns a region's expression if its level is known, else null.
inline CompiledCondition const* condition_with_level(Region const& region) {
  auto const* const found = region.contains.target<CompiledCondition>();
  return found == nullptr || found->level == nullptr ? nullptr : found;
}

}  // namespace isotherm
