#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

/// Returns true if no value of any rank is infinite or NaN. All ranks get the same answer.
/// Collective.
/// @param values  this rank's values, in host memory; the ranks may have different numbers of them
///
/// Cost: one pass over the values and one reduction over the ranks.
bool all_finite(mpi::Communicator const& ranks, ConstValues values);

}  // namespace isotherm::app
