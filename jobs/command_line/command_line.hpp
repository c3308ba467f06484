#pragma once

#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace CLI {
class App;
}

namespace isotherm {

/// What the command line asks for; returns the exit code. Collective.
using Action = std::function<int(mpi::Communicator const&)>;

/// Gives `app` the program's name, commands and options. Where it then reads a command line,
/// `chosen` becomes what that asks for.
void describe_program(CLI::App& app, Action& chosen);

/// Reads the command line; --help and --version are actions too.
/// @throws InputError  where it is wrong
Action parse_command_line(int argc, char const* const* argv);

}  // namespace isotherm
