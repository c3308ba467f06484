#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace isotherm {

/// Returns the name "PATH.tmp", under which the new contents of `path` are written before they
/// replace it.
std::filesystem::path temporary_path(std::filesystem::path const& path);

/// A check that is called before a file is renamed or a temporary file is created. It throws Error
/// to prevent that, for example if the directory has been moved. Empty: no check.
using MayReplace = std::function<void()>;

/// Moves `temporary` to `path` and replaces an existing file there. It syncs the file, renames it,
/// and syncs the directory, so after a power cut either the old or the new file is complete. Not
/// collective.
/// @throws Error  with the file and the system's reason; and whatever `may_replace` throws
void replace_file(std::filesystem::path const& temporary, std::filesystem::path const& path,
                  MayReplace const& may_replace = {});

/// Writes `contents` to `path` such that no reader ever sees a part of it. A symbolic link at
/// `path`, or at the temporary name, is replaced; its target is not changed. Not collective.
/// @throws Error  with the file and the system's reason; and whatever `may_replace` throws. An
///   existing file is then unchanged, and the temporary file is removed
///
///     write_file_atomically(directory / "summary.json", text);
void write_file_atomically(std::filesystem::path const& path, std::string_view contents,
                           MayReplace const& may_replace = {});

}  // namespace isotherm
