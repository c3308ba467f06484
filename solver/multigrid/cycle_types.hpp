#pragma once

#include <type_traits>

#include "kernels/core/precision.hpp"
#include "solver/multigrid/hierarchy.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns true if corrections in float32 would be too inexact.
///
/// Constant coefficients: along an axis without a Dirichlet face values may be constant. Errors
/// along another axis then contribute only a fraction (h / h_other)² of the diagonal to the
/// residual, which rounding in float32 would hide.
///
/// Heterogeneous media: the ratio of the largest to the smallest sampled conductivity decides. So
/// does the conductance to given values, if Robin faces and films alone hold the field: an error
/// that is constant contributes only that conductance to the residual, relative to the medium's.
bool asks_for_float64(Problem const& problem);

/// Returns the precision of corrections. A float32 field always has float32 corrections. A float64
/// field has those of the method's settings; by default float32, unless asks_for_float64().
inline Precision correction_precision(Problem const& problem, MethodSettings const& method) {
  if (problem.precision == Precision::float32) return Precision::float32;
  Precision const fitting = asks_for_float64(problem) ? Precision::float64 : Precision::float32;
  return method.multigrid.precision.value_or(fitting);
}

/// Calls `action` with a zero of the field's type, a zero of the corrections' type, and the
/// dimension as an integral constant. Returns its result.
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

/// Calls `action` with the building blocks of the problem's hierarchy: UniformGrids or
/// HeterogeneousGrids.
template <class Correction, int dimension, class Action>
auto with_grids(Problem const& problem, Action const& action) {
  return is_heterogeneous(problem) ? action(HeterogeneousGrids<Correction, dimension>{})
                                   : action(UniformGrids<Correction, dimension>{});
}

}  // namespace isotherm
