#pragma once

#include "solver/staging.hpp"

namespace isotherm {

/// The points of `grid` with box.lower <= coordinate < box.upper, within a billionth of a spacing.
GlobalBox index_box(Grid const& grid, InitialBox const& box);

/// Enqueues the initial values of this rank's points, but for those of Dirichlet faces: the value,
/// then the boxes in order, then the sum of the Gaussians.
template <class Real>
void set_initial_values(Problem const& problem, Subdomain const& subdomain, Queue& queue,
                        Staging<Real>& staging, FieldView<Real> field);

}  // namespace isotherm
