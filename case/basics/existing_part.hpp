#pragma once

#include <filesystem>

namespace isotherm {

/// Returns the absolute path itself if it exists, else its nearest ancestor that exists. That is
/// where the path would be created.
std::filesystem::path existing_part(std::filesystem::path const& path);

}  // namespace isotherm
