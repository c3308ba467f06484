#pragma once

#include <filesystem>

#include "io/files/atomic_file.hpp"

namespace isotherm::app {

/// Returns whether `file` may be replaced by a report: it does not exist, is a symbolic link, or is
/// a report of isotherm. A page of somebody else is kept. Serial.
bool may_become_report(std::filesystem::path const& file);

/// Writes the report of the run whose results are in `directory`, in one step. Serial.
/// @param output  the page
/// @pre  may_become_report(output), or the user has asked to replace it
/// @throws Error  if it cannot be written; and whatever `may_replace` throws
void write_report(std::filesystem::path const& directory, std::filesystem::path const& output,
                  MayReplace const& may_replace = {});

}  // namespace isotherm::app
