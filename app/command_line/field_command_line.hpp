#pragma once

#include "app/command_line/command_line.hpp"

namespace CLI {
class App;
}

namespace isotherm::app {

/// Adds the commands that derive a field from another one: `smooth`, `project`, `resample` and
/// `combine`. When one of them is parsed, `chosen` becomes the corresponding action.
/// @param chosen  must outlive `app`, whose callbacks refer to it
void add_field_commands(CLI::App& app, Action& chosen);

}  // namespace isotherm::app
