#pragma once

#include "app/command_line/command_line.hpp"

namespace CLI {
class App;
}

namespace isotherm::app {

/// Adds the commands `picture` and `film`. When one of them is parsed, `chosen` becomes its action.
/// @param chosen  must outlive `app`, whose callbacks refer to it
void add_picture_commands(CLI::App& app, Action& chosen);

}  // namespace isotherm::app
