#pragma once

#include <cmath>
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
///     if (auto const* const level = level_of(region)) …
struct CompiledCondition {
  ScalarFunction function{};                            ///< nonzero inside; NaN is outside
  std::shared_ptr<RegionBlocks const> blocks{};         ///< where it need not be evaluated, or null
  std::shared_ptr<expressions::Program const> level{};  ///< null if it is not known

  bool operator()(double x, double y, double z) const {
    Certainty const known = blocks ? blocks->at(x, y, z) : Certainty::unknown;
    if (known != Certainty::unknown) return known == Certainty::inside;
    double const value = function(x, y, z, 0.0);
    return value != 0.0 && !std::isnan(value);
  }
};

/// Returns the level of a region's expression; null if it is not known.
inline expressions::Program const* level_of(Region const& region) {
  auto const* const found = region.contains.target<CompiledCondition>();
  return found == nullptr ? nullptr : found->level.get();
}

}  // namespace isotherm
