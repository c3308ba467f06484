#pragma once

#include <filesystem>
#include <string>

// The only place that words the absence of files and directories.

namespace isotherm {

/// Requires a file that can be read, before a library reports the failure in its own words.
/// @param prefix  of the message, such as "--over: "
/// @throws InputError  "PATH: no such file", "PATH is not a file", or the system's reason
void require_readable_file(std::filesystem::path const& path, std::string const& prefix = "");

/// Requires a directory.
/// @param advice  in parentheses at the end of the message; may be empty
/// @throws InputError  "PATH: no such directory" or "PATH is not a directory"
void require_directory(std::filesystem::path const& path, std::string const& advice = "");

/// Returns the reason why a file cannot be opened for reading, by the value of errno.
std::string reason_not_readable(int error);

}  // namespace isotherm
