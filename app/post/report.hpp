#pragma once

#include <filesystem>
#include <optional>

namespace isotherm::app {

/// The options of the command `report`.
struct ReportOptions {
  std::filesystem::path directory{};              ///< of the run's results
  std::optional<std::filesystem::path> output{};  ///< by default report.html in the directory
  bool overwrite = false;                         ///< replace a file that is not a report
};

/// Writes the report of an existing run from the files in its directory, and prints its name.
/// Serial.
/// @return  the exit code
/// @throws InputError  if the directory holds neither summary.json nor case.toml, or the page would
///         replace a file that isotherm has not written
int report(ReportOptions const& options);

}  // namespace isotherm::app
