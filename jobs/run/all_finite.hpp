#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Whether all values that each rank has are finite; the same on every rank. Collective.
bool all_finite(mpi::Communicator const& ranks, ConstValues values);

}  // namespace isotherm
