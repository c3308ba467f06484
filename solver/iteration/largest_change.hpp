#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/reduce.hpp"

namespace isotherm {

/// Returns the largest change over all ranks; infinity if a value on any rank is not finite. NaN
/// needs this care, because a maximum over MPI may drop it. Collective.
double largest_change(mpi::Communicator const& ranks, Change const& of_this_rank);

}  // namespace isotherm
