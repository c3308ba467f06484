#pragma once

#include <filesystem>

namespace isotherm {

/// The file itself, or the field of the highest iteration in a directory; files there that cannot
/// be read are left out, with a warning on standard error. Serial.
/// @throws InputError  where there is no field in the directory
std::filesystem::path field_at(std::filesystem::path const& path);

}  // namespace isotherm
