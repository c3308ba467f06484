#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace isotherm {

/// Where the contents of `path` are written before they replace it: "PATH.tmp".
std::filesystem::path temporary_path(std::filesystem::path const& path);

/// Asked before a file takes its own name or a temporary one; throws Error if it must not.
using MayReplace = std::function<void()>;

/// Moves `temporary` to `path`, replacing what is there, so that a power cut leaves either the old
/// or the new file, whole: syncs the file, renames it, syncs the directory. Serial.
/// @throws Error  naming the file and the system's reason; and what `may_replace` throws
void replace_file(std::filesystem::path const& temporary, std::filesystem::path const& path,
                  MayReplace const& may_replace = {});

/// Writes `contents` to `path` so that no reader ever sees a part of it. A link at `path`, or in
/// the place of the temporary file, is replaced, and what it leads to stays as it is. Serial.
/// @throws Error  naming the file and the system's reason; and what `may_replace` throws. An older
///                file stays as it was, and no temporary one is left
void write_file_atomically(std::filesystem::path const& path, std::string_view contents,
                           MayReplace const& may_replace = {});

}  // namespace isotherm
