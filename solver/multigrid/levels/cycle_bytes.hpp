#pragma once

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the least memory traffic of one cycle in bytes, over all ranks. It assumes that each
/// pass over a level fuses all of its sweeps, and adds a pass for each residual and transfer.
/// Benchmarks relate measured times to it.
double cycle_bytes(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
