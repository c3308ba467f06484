#pragma once

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Enqueues the initial values of this rank's points, but for those of Dirichlet faces: the value,
/// then the boxes in order, then the sum of the Gaussians.
template <class Real>
void set_initial_values(Problem const& problem, Queue& queue, DistributedField<Real>& field);

/// Bytes that it takes at most meanwhile, see Buffer::footprint.
std::size_t initial_footprint(Problem const& problem, Backend backend);

}  // namespace isotherm
