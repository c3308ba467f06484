#pragma once

#include "kernels/sweep/shaped_plans.hpp"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {

/// True for the rules that kernels with a block shape are compiled for.
template <class Rule>
constexpr bool has_shaped_kernels = false;
template <class Real, int dimension>
constexpr bool has_shaped_kernels<JacobiRule<Real, dimension>> = true;
template <class Real, int dimension>
constexpr bool has_shaped_kernels<FtcsRule<Real, dimension>> = true;

/// Enqueues one step by a kernel with a block shape.
/// @param kernel  "plain", "march" or "shared"
/// @pre The pass has no source and measures no change.
/// @throws Error  if there is no such kernel
template <class Rule>
void shaped_step(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                 std::string_view kernel, BlockShape shape);

}  // namespace isotherm::cuda
