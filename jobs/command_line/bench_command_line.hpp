#pragma once

#include "jobs/command_line/command_line.hpp"

namespace CLI {
class App;
}

namespace isotherm {

/// Adds `bench` and its parts to the program's commands. Where one of them is read, `chosen`
/// becomes what it asks for.
void add_bench(CLI::App& app, Action& chosen);

}  // namespace isotherm
