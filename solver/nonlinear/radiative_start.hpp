#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/nonlinear/local_inflow.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the value of the uniform field whose radiation balances the heat that flows in, if a
/// field is so cold that its radiation does not show how much it will have to radiate: a uniform
/// field twice as hot as the hottest radiating point would still warm up. Newton's method would
/// overshoot from there by orders of magnitude. None for other fields, and if a fixed value holds
/// the field. Collective.
/// @param u  this rank's values of the field (dense, x fastest)
std::optional<double> radiative_start(mpi::Communicator const& ranks, Problem const& problem,
                                      Subdomain const& subdomain, LocalInflow const& inflow,
                                      std::vector<double> const& u);

}  // namespace isotherm
