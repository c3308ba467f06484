#pragma once

#include <type_traits>

#include "kernels/core/precision.hpp"
#include "solver/direct/separable_correction.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Calls `action` with a zero of the field's type, the dimension as an integral constant, and the
/// building blocks of a direct solution. Returns its result. Corrections have the field's
/// precision, since a direct solution in float32 would have to be refined several times.
template <class Action>
auto with_direct_types(Problem const& problem, Action const& action) {
  auto const with_dimension = [&]<class Real, class Dimension>(Real real, Dimension dimension) {
    return is_heterogeneous(problem)
               ? action(real, dimension, SeparableGrids<Real, Dimension::value>{})
               : action(real, dimension, DirectGrids<Real, Dimension::value>{});
  };
  return with_precision(problem.precision, [&]<class Real>(Real real) {
    return problem.grid.dimension == 2 ? with_dimension(real, std::integral_constant<int, 2>{})
                                       : with_dimension(real, std::integral_constant<int, 3>{});
  });
}

}  // namespace isotherm
