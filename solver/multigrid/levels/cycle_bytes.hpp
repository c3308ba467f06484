#pragma once

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the least memory traffic of one cycle in bytes, over all ranks. It assumes that each
/// pass over a level fuses all of its sweeps, and adds a pass for each residual and transfer.
/// Devices that pack the coefficients of heterogeneous media (PackedOperator) move a third less.
/// Benchmarks relate measured times to it.
double cycle_bytes(Problem const& problem, MethodSettings const& method);

/// Returns the bytes per point that a step of conjugate gradients moves in a heterogeneous medium,
/// without its preconditioner. They are those of the residual, the search direction p, A p, three
/// inner products, and the update.
/// @param field, correction  bytes of a value of the field, and of the correction
double conjugate_gradient_bytes(Problem const& problem, double field, double correction);

}  // namespace isotherm
