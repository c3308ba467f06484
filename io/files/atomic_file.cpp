#include "io/files/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "io/files/descriptor.hpp"

namespace isotherm {
namespace {

/// Writes a new file without syncing it. Some file systems report a failed write only when the file
/// is closed.
void write_new_file(std::filesystem::path const& path, std::string_view contents) {
  Descriptor descriptor = create_new_file(path);
  write_all(descriptor, contents, path);
  if (::close(descriptor.release()) != 0 && errno != EINTR) {
    fail_on("close", path);
  }
}

}  // namespace

std::filesystem::path temporary_path(std::filesystem::path const& path) {
  return std::filesystem::path(path).concat(".tmp");
}

void replace_file(std::filesystem::path const& temporary, std::filesystem::path const& path,
                  MayReplace const& may_replace) {
  // The contents must reach the disk before the name, or a power cut could leave an empty file
  // under the final name.
  sync(open_file(temporary, O_RDWR | O_NOFOLLOW), temporary);
  if (may_replace) may_replace();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    fail_on("rename a temporary file to", path);
  }
  // The rename itself is durable after a sync of the directory.
  std::filesystem::path const directory = path.parent_path();
  sync_names(open_file(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY), directory);
}

void write_file_atomically(std::filesystem::path const& path, std::string_view contents,
                           MayReplace const& may_replace) {
  if (may_replace) may_replace();  // the temporary file may replace one, too
  std::filesystem::path const temporary = temporary_path(path);
  try {
    write_new_file(temporary, contents);
    replace_file(temporary, path, may_replace);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace isotherm
