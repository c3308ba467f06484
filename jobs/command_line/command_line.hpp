#pragma once

#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// What the command line asks for; returns the exit code. Collective.
using Action = std::function<int(mpi::Communicator const&)>;

/// Reads the command line; --help and --version are actions too.
/// @throws InputError  where it is wrong
Action parse_command_line(int argc, char const* const* argv);

}  // namespace isotherm
