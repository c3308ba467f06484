#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm::app {

/// The shells for which completions exist. The scripts share the tables' language; completion.sh
/// documents it.
enum class Shell { bash, zsh, fish };

/// Returns the tables that completion.sh, completion.zsh and completion.fish use, as functions of
/// the shell: the subcommands of each command, its options and arguments, the values that these
/// accept, and the keys of a case for --set. The build appends them to the script of the shell.
/// @param app  the description of the program; see describe_program()
/// @throws Error  if an argument has no entry in the table of file types, which fails the build
std::string completion_tables(CLI::App const& app, Shell shell);

}  // namespace isotherm::app
