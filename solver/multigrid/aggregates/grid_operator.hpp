#pragma once

#include "decomposition/grid/subdomain.hpp"
#include "kernels/conduction/coarsening.hpp"
#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// Returns the operator of a grid's level as rows of this rank's points (dense, x fastest). Marked
/// points, whose values are fixed, have empty rows; links to them hold their neighbours.
/// Collective.
/// @param ranks   that share the level; must outlive the result
/// @param fields  the operator with one ghost layer, in host memory
/// @throws Error  on every rank, if one has 2^31 − 1 points or more
template <class Real>
NodeOperator<Real> grid_operator(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 OperatorFields<Real const> const& fields);

}  // namespace isotherm
