#pragma once

#include <vector>

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the least memory traffic of one cycle in bytes, over all ranks: first that of the field,
/// then that of each level, the finest first. It assumes that each pass over a level fuses all of
/// its sweeps, and adds a pass for each residual and transfer. Halos and the work of the coarsest
/// solver are neglected. Benchmarks compare measured times with it.
std::vector<double> cycle_bytes(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
