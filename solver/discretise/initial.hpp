#pragma once

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Enqueues setting the initial values of this rank's points, except those on Dirichlet faces:
/// first the initial function, then the boxes in order, and then the sum of the Gaussians is added.
template <class Real>
void set_initial_values(Problem const& problem, Queue& queue, DistributedField<Real>& field);

/// Returns true if the initial field has this value everywhere.
inline bool is_constant(InitialState const& initial, double everywhere) {
  return initial.boxes.empty() && initial.gaussians.empty() && initial.value.is_constant() &&
         initial.value.constant == everywhere;
}

/// Returns an upper bound on the bytes that it allocates temporarily, see Buffer::footprint.
std::size_t initial_footprint(Problem const& problem, Backend backend);

}  // namespace isotherm
