#pragma once

#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// Executes the program after MPI has started. Returns the exit code, the same on every rank; see
/// case/basics/exit_code.hpp. Collective.
///
/// Exceptions become messages and exit codes. If only some ranks fail, one of them prints its
/// message and ends the job.
/// @param ranks  all ranks of the job
int run_program(mpi::Communicator const& ranks, int argc, char const* const* argv);

}  // namespace isotherm::app
