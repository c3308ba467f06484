#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "app/post/plot/plot.hpp"
#include "io/picture/plot/plot.hpp"

namespace isotherm::app {

/// Returns the plot of files that `bench … --json` wrote: curves over the number of ranks for
/// `scaling`, bars for the other parts. Serial.
/// @param files  all of the same part of `bench`
/// @throws InputError  if a file is not such a file, or has nothing to draw
std::variant<Plot, BarChart> plot_of_benchmarks(std::vector<std::filesystem::path> const& files,
                                                PlotOptions const& options);

}  // namespace isotherm::app
