#pragma once

#include <filesystem>

namespace isotherm {

/// True if another program, such as h5repack, has written a snapshot anew. Its values keep their
/// checksums. @throws InputError  if the file cannot be read
bool is_rewritten_snapshot(std::filesystem::path const& path);

}  // namespace isotherm
