#pragma once

#include <type_traits>

#include "kernels/core/precision.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// A float32 field is corrected in float32, whatever is asked for.
inline Precision correction_precision(Problem const& problem, MethodSettings const& method) {
  return problem.precision == Precision::float32 ? Precision::float32 : method.multigrid.precision;
}

/// Calls `action` with a zero of the field's type, one of the corrections', and the dimension.
template <class Action>
auto with_cycle_types(Problem const& problem, MethodSettings const& method, Action const& action) {
  auto const with_dimension = [&](auto real, auto correction) {
    return problem.grid.dimension == 2 ? action(real, correction, std::integral_constant<int, 2>{})
                                       : action(real, correction, std::integral_constant<int, 3>{});
  };
  if (problem.precision == Precision::float32) return with_dimension(float{}, float{});
  return correction_precision(problem, method) == Precision::float32
             ? with_dimension(double{}, float{})
             : with_dimension(double{}, double{});
}

}  // namespace isotherm
