#pragma once

#include <optional>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// A value that a face gives at time 0: that of the first point, in the order of the faces, with a
/// Dirichlet condition, or a Robin condition whose coefficient is not 0. None if no face gives one.
/// The same on every rank, whatever its part of the grid is.
std::optional<double> value_given_by_faces(Problem const& problem);

/// The range of the values beyond Robin faces that conduct, at time 0, at this rank's points: what
/// the field would take on if nothing else were given.
ValueRange ambient_range(Problem const& problem, Subdomain const& subdomain);

}  // namespace isotherm
