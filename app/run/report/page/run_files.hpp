#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "case/basics/text/csv_table.hpp"

namespace isotherm::app {

/// A picture that a page embeds.
struct EmbeddedPicture {
  std::string name;  ///< of the file
  std::string type;  ///< "image/png" or "image/svg+xml"
  std::string bytes;
};

/// The files in the output directory of a run from which its report is made. Any of them may be
/// missing.
struct RunFiles {
  nlohmann::json summary{};  ///< the object of summary.json; null if it is missing
  std::string written{};     ///< when summary.json was written, "2026-05-01 12:00 UTC"
  std::string case_text{};   ///< case.toml
  std::optional<CsvTable> residuals{};
  std::vector<EmbeddedPicture> pictures{};  ///< of the initial and the final field
  std::vector<std::string> faults{};        ///< files that could not be read, with the reason
};

/// Reads the files of a run. Only regular files are read, at most 16 MiB of each. A file that
/// cannot be read is listed in `faults`. Serial.
RunFiles read_run_files(std::filesystem::path const& directory);

}  // namespace isotherm::app
