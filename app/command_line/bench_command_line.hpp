#pragma once

#include "app/command_line/command_line.hpp"

namespace CLI {
class App;
}

namespace isotherm::app {

/// Adds `bench` and its parts to the program's commands. When one of them is parsed, `chosen`
/// becomes the corresponding measurement.
/// @param chosen  must outlive `app`, whose callbacks refer to it
void add_bench(CLI::App& app, Action& chosen);

}  // namespace isotherm::app
