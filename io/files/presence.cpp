#include "io/files/presence.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include "kernels/core/error.hpp"

namespace isotherm {

void require_readable_file(std::filesystem::path const& path, std::string const& prefix) {
  std::error_code ignored;
  auto const status = std::filesystem::status(path, ignored);
  std::string const start = prefix + path.string();
  if (!std::filesystem::exists(status)) {
    throw InputError(start + ": " + reason_not_readable(ENOENT));
  }
  if (!std::filesystem::is_regular_file(status)) throw InputError(start + " is not a file");
  if (::access(path.c_str(), R_OK) != 0) {
    throw InputError(start + " cannot be read: " + reason_not_readable(errno));
  }
}

void require_directory(std::filesystem::path const& path, std::string const& advice) {
  std::error_code ignored;
  auto const status = std::filesystem::status(path, ignored);
  std::string const end = advice.empty() ? "" : " (" + advice + ')';
  if (!std::filesystem::exists(status)) {
    throw InputError(path.string() + ": no such directory" + end);
  }
  if (!std::filesystem::is_directory(status)) {
    throw InputError(path.string() + " is not a directory" + end);
  }
}

std::string reason_not_readable(int error) {
  return error == ENOENT ? "no such file" : std::generic_category().message(error);
}

}  // namespace isotherm
