#pragma once

#include <filesystem>

namespace isotherm {

/// Returns the absolute path itself if it exists, else its nearest ancestor that exists. In the
/// second case, that is the directory in which the path would be created.
///
/// Use it to check permissions or free space before a directory exists. A symbolic link exists even
/// if its target does not.
std::filesystem::path existing_part(std::filesystem::path const& path);

}  // namespace isotherm
