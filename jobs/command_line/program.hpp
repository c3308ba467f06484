#pragma once

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// The whole program but for starting MPI: returns the exit code, the same on every rank. A failure
/// that only some ranks know of ends the job here, with the message of one that failed. Collective.
int run_program(mpi::Communicator const& ranks, int argc, char const* const* argv);

}  // namespace isotherm
