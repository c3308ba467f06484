#pragma once

#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace CLI {
class App;
}

// The command line of the program, parsed with CLI11.
//
// Parsing prints nothing and opens no files. It yields an action, which the caller runs on all
// ranks. So all ranks detect an invalid command line before any of them begins to work.
//
//     Action const action = parse_command_line(argc, argv);
//     int const exit_code = action(ranks);

namespace isotherm::app {

/// The command to execute. Returns the exit code, the same on every rank. Collective.
///
/// It owns its options, so it may outlive the words and the CLI::App that it was parsed from.
using Action = std::function<int(mpi::Communicator const&)>;

/// Describes the program to CLI11: its name, commands and options. When `app` then parses a command
/// line, `chosen` becomes the corresponding action. Both must live until then. The build uses the
/// description without parsing, to generate the manual page and the completions.
void describe_program(CLI::App& app, Action& chosen);

/// Parses the command line. --help and --version are actions, too. Not collective: each rank parses
/// the same words.
/// @param argv  argc words, the first of which is the name of the program
/// @throws InputError  if the command line is not valid. The message suggests the nearest valid
///                     word, if there is one
Action parse_command_line(int argc, char const* const* argv);

}  // namespace isotherm::app
