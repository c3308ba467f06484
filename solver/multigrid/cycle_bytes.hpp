#pragma once

#include <vector>

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// What a cycle moves at least for the field, the first number, and for each level of its
/// corrections, the finest first: if every pass over a level takes all its sweeps, and every
/// residual and transfer one more.
std::vector<double> cycle_bytes(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
