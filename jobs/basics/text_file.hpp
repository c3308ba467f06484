#pragma once

#include <filesystem>
#include <string>

namespace isotherm {

/// What a file holds, or what comes through a pipe; 16 MiB at most, whatever
/// `file` is. Serial.
/// @param what  "a case file": what it should be, for messages
/// @param hint  what to do where it cannot be read; may be empty
/// @throws InputError  where it cannot be read, or is larger: names the file and the reason
std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint = "");

/// What comes through standard input, under the same rules.
/// @param what  as of read_text_file()
std::string read_standard_input(std::string const& what);

}  // namespace isotherm
