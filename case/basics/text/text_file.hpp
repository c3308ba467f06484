#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace isotherm {

/// The default limit on the size of a text file.
inline constexpr std::size_t max_text_mebibytes = 16;

/// Returns the contents of a file, or everything that arrives through a pipe. Serial.
/// @param what  the expected kind, for messages: "a case file"
/// @param hint  advice if the file cannot be read; may be empty
/// @param max_mebibytes  the limit on the file's size
/// @throws InputError  if the file cannot be read or is larger; names the file and the reason. Also
///        if a signal requests a stop while a pipe delivers nothing.
std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint = "",
                           std::size_t max_mebibytes = max_text_mebibytes);

/// Returns everything that arrives through standard input, under the same rules.
/// @param what  as for read_text_file()
std::string read_standard_input(std::string const& what);

}  // namespace isotherm
