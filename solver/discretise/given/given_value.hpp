#pragma once

#include <optional>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns a finite value that some face gives at time 0, or none. It is that of the first point,
/// in the order of faces, with a Dirichlet condition or a Robin condition whose coefficient is
/// positive. Every rank returns the same value, without communication.
std::optional<double> value_given_by_faces(Problem const& problem);

/// Returns the range at time 0 of the ambient values beyond this rank's conducting Robin faces, and
/// of the values of electrodes on faces. The field would assume them if nothing else were given.
ValueRange ambient_range(Problem const& problem, Subdomain const& subdomain);

}  // namespace isotherm
