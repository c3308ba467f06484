#include "jobs/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "kernels/error.hpp"

namespace isotherm {

std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint) {
  std::error_code said_below;
  if (std::filesystem::is_directory(file, said_below)) {
    throw InputError(file.string() + " is a directory, not " + what);
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw InputError(file.string() + ": " + std::strerror(errno) +
                     (hint.empty() ? "" : " (" + hint + ")"));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace isotherm
