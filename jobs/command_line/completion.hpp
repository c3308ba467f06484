#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm {

/// What completion.sh needs to know of the command line, as functions for bash: the commands of
/// each command, its options and arguments, what each of them takes, and the keys of a case for
/// --set.
/// @throws Error  where an argument is not known to be a file of some kind
std::string completion_tables(CLI::App const& app);

}  // namespace isotherm
