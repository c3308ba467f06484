#pragma once

#include "solver/discretise/staging.hpp"

namespace isotherm {

/// Enqueues the initial values of this rank's points, but for those of Dirichlet faces: the value,
/// then the boxes in order, then the sum of the Gaussians.
template <class Real>
void set_initial_values(Problem const& problem, Subdomain const& subdomain, Queue& queue,
                        Staging<Real>& staging, FieldView<Real> field);

}  // namespace isotherm
