#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace isotherm::app {

/// Which axes of a plot are logarithmic. Automatic: the vertical one of residuals.
enum class LogAxes { automatic, none, x, y, both };

/// The options of the command `plot`.
struct PlotOptions {
  /// Tables in CSV, directories of runs (their residuals.csv), or files of `bench --json`.
  std::vector<std::filesystem::path> files{};
  /// PNG, SVG or PDF; by default the first file with the extension .png.
  std::optional<std::filesystem::path> output{};
  bool overwrite = false;  ///< replace the output if it exists
  /// The column of the horizontal axis, then those of the curves. Empty: chosen by the table.
  std::vector<std::string> columns{};
  std::string by{};  ///< a curve for each number in this column; empty: chosen by the table
  LogAxes log = LogAxes::automatic;
  std::optional<std::string> title{};
  /// Labels of the axes, such as "time [s]"; of a bar chart only `x_label`, that of the values.
  std::optional<std::string> x_label{}, y_label{};
};

/// Draws tables or benchmarks as curves or bars, and prints the name of the picture. Serial.
/// @return  the exit code
/// @throws InputError  one line, if a file cannot be read or drawn, or the output must not be
///         written: it has another extension, is an input, or exists
int plot(PlotOptions const& options);

}  // namespace isotherm::app
