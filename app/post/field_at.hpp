#pragma once

#include <filesystem>

namespace isotherm::app {

/// Returns the path itself if it is not a directory. For a directory, returns the field of the
/// highest iteration in it. Files there that cannot be read are skipped, with a warning on standard
/// error. Among files of the same iteration, one with the whole field precedes a cut or reduced
/// one. Serial: only the descriptions of files are read.
/// @throws InputError  if the directory contains no field
std::filesystem::path field_at(std::filesystem::path const& path);

}  // namespace isotherm::app
