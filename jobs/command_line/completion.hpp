#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm {

enum class Shell { bash, zsh, fish };

/// The tables of the command line that completion.sh, completion.zsh and completion.fish use, as
/// functions of the shell: the commands of each command, its options and arguments, what each of
/// them takes, and the keys of a case for --set.
/// @throws Error  if the kind of file that an argument names is not known
std::string completion_tables(CLI::App const& app, Shell shell);

}  // namespace isotherm
