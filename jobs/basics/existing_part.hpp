#pragma once

#include <filesystem>

namespace isotherm {

/// The path, absolute, or the nearest one above it that is there already: where it would be made.
std::filesystem::path existing_part(std::filesystem::path const& path);

}  // namespace isotherm
