#pragma once

#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace CLI {
class App;
}

// The command line of the program, parsed with CLI11.
//
// Parsing has no effects: it yields an action, which the caller runs on all ranks.
//
//     Action const action = parse_command_line(argc, argv);
//     int const exit_code = action(ranks);

namespace isotherm {

/// The command to execute. Returns the exit code. Collective.
using Action = std::function<int(mpi::Communicator const&)>;

/// Describes the program to CLI11: its name, commands and options. When `app` then parses a command
/// line, `chosen` becomes the corresponding action. Both must live until then. The build uses the
/// description without parsing, to generate the manual page and the completions.
void describe_program(CLI::App& app, Action& chosen);

/// Parses the command line. --help and --version are actions, too. Not collective: each rank parses
/// the same words.
/// @throws InputError  if the command line is not valid, with advice
Action parse_command_line(int argc, char const* const* argv);

}  // namespace isotherm
