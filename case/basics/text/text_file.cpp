#include "case/basics/text/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case/basics/stop_request.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/presence.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Throws an InputError: file, reason and, if there is one, the hint.
[[noreturn]] void fail(std::filesystem::path const& file, std::string const& reason,
                       std::string const& hint) {
  throw InputError(file.string() + ": " + reason + (hint.empty() ? "" : " (" + hint + ")"));
}

/// Opens a file. O_NONBLOCK: opening a pipe that has no writer yet does not block.
Descriptor open_for_reading(std::filesystem::path const& file, std::string const& hint) {
  Descriptor descriptor(
      uninterrupted([&] { return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }));
  if (descriptor.get() < 0) fail(file, reason_not_readable(errno), hint);
  return descriptor;
}

/// Reports a directory; read() would only say "Is a directory" without the kind that was expected.
void refuse_directory(int descriptor, std::filesystem::path const& file, std::string const& what) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail(file, std::strerror(errno), "");
  if (S_ISDIR(status.st_mode)) throw InputError(file.string() + " is a directory, not " + what);
}

/// Reads some bytes, and waits for them if they come through a pipe. A signal that asks to stop
/// ends the wait.
ssize_t read_some(int descriptor, char* bytes, std::size_t count) {
  for (;;) {
    ssize_t const got = ::read(descriptor, bytes, count);
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
    // Without this check, the program could not be interrupted while it waits for a pipe.
    if (StopRequest::made()) throw InputError("stopped while waiting for the contents of a file");
    pollfd waiting{descriptor, POLLIN, 0};
    (void)::poll(&waiting, 1, -1);
  }
}

/// Reads to the end of the file. The limit is checked while reading: pipes and devices have no
/// size.
std::string read_all(int descriptor, std::filesystem::path const& file, std::string const& what,
                     std::string const& hint, std::size_t max_mebibytes) {
  refuse_directory(descriptor, file, what);
  std::string text;
  std::array<char, 65536> bytes{};
  for (;;) {
    ssize_t const got = read_some(descriptor, bytes.data(), bytes.size());
    if (got < 0) fail(file, std::strerror(errno), hint);
    if (got == 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    if (text.size() > max_mebibytes << 20U) {
      throw InputError(file.string() + " is larger than " + std::to_string(max_mebibytes) +
                       " MiB, so it cannot be " + what);
    }
  }
}

}  // namespace

std::string read_text_file(std::filesystem::path const& file, std::string const& what,
                           std::string const& hint, std::size_t max_mebibytes) {
  Descriptor const descriptor = open_for_reading(file, hint);
  return read_all(descriptor.get(), file, what, hint, max_mebibytes);
}

std::string read_standard_input(std::string const& what) {
  return read_all(STDIN_FILENO, "standard input", what, "", max_text_mebibytes);
}

}  // namespace isotherm
