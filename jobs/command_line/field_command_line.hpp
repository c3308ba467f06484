#pragma once

#include "jobs/command_line/command_line.hpp"

namespace CLI {
class App;
}

namespace isotherm {

/// Adds the commands that make a field of another one: `smooth`, `project`, `resample`. Where one
/// of them is read, `chosen` becomes what it asks for.
void add_field_commands(CLI::App& app, Action& chosen);

}  // namespace isotherm
