#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/reduce.hpp"

namespace isotherm {

/// The largest change of all ranks; infinity where a value of any of them is not finite, which a
/// maximum alone may lose on its way through MPI. Collective.
double largest_change(mpi::Communicator const& ranks, Change const& of_this_rank);

}  // namespace isotherm
