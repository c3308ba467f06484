#pragma once

#include <filesystem>
#include <string>

namespace isotherm {

/// Returns the contents of a file, or everything that arrives through a pipe, up to 16 MiB. Serial.
/// @param what  the expected kind, for messages: "a case file"
/// @param hint  advice if the file cannot be read; may be empty
/// @throws InputError  if the file cannot be read or is larger; names the file and the reason. Also
///        if a signal requests a stop while a pipe delivers nothing.
std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint = "");

/// Returns everything that arrives through standard input, under the same rules.
/// @param what  as for read_text_file()
std::string read_standard_input(std::string const& what);

}  // namespace isotherm
