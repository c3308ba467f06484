#pragma once

#include <filesystem>
#include <string>

namespace isotherm {

/// What a file, or a pipe that somebody writes to, holds; 16 MiB at most. Serial.
/// @param what  "a case file": what it should be, for messages
/// @param hint  what to do where it cannot be read; may be empty
/// @throws InputError  where it cannot be read, is a device or the like, or is larger: names the
///                     file and the reason
std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint = "");

}  // namespace isotherm
