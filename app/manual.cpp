#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/command_line/manual/completion.hpp"
#include "app/command_line/manual/key_table.hpp"
#include "app/command_line/manual/man_page.hpp"

/// A helper program for the build: it prints the manual page and the tables of the completions,
/// both generated from the description of the command line, and the keys of a case file.
///
///     isotherm_manual page VERSION DATE    the manual page, in roff
///     isotherm_manual bash|zsh|fish        the tables for completion.sh, .zsh, .fish
///     isotherm_manual keys                 the keys of a case file, see key_table()
///
/// It is separate from `isotherm`, since MPI may not start on the machine that builds it.
int main(int argc, char** argv) try {
  std::vector<std::string> const words(argv + 1, argv + argc);
  std::map<std::string, isotherm::app::Shell> const shells{{"bash", isotherm::app::Shell::bash},
                                                           {"zsh", isotherm::app::Shell::zsh},
                                                           {"fish", isotherm::app::Shell::fish}};
  CLI::App app;
  isotherm::app::Action chosen;
  isotherm::app::describe_program(app, chosen);
  if (words.size() == 3 && words[0] == "page") {
    std::cout << isotherm::app::man_page(app, words[1], words[2]);
  } else if (words.size() == 1 && shells.contains(words[0])) {
    std::cout << isotherm::app::completion_tables(app, shells.at(words[0]));
  } else if (words.size() == 1 && words[0] == "keys") {
    std::cout << isotherm::app::key_table();
  } else {
    std::cerr << "isotherm_manual: usage: isotherm_manual page VERSION DATE | bash | zsh | fish | "
                 "keys\n";
    return 2;
  }
  std::cout.flush();
  return std::cout.good() ? 0 : 1;
} catch (std::exception const& error) {
  std::cerr << "isotherm_manual: " << error.what() << std::endl;
  return 1;
}
