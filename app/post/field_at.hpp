#pragma once

#include <filesystem>

namespace isotherm {

/// Returns the path itself if it is a file. For a directory, returns the field of the highest
/// iteration in it. Files there that cannot be read are skipped, with a warning on standard error.
/// Serial.
/// @throws InputError  if the directory contains no field
std::filesystem::path field_at(std::filesystem::path const& path);

}  // namespace isotherm
