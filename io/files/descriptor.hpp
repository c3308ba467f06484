#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "kernels/core/error.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm {

/// Ownership of a file descriptor, for UniqueHandle. close() ignores errors; see sync_and_close().
struct DescriptorTraits {
  using Handle = int;
  static Handle empty() noexcept { return -1; }
  static void close(Handle descriptor) noexcept;
};
/// An open file or directory of the operating system, closed by the destructor.
///
///     Descriptor file = create_new_file(path);
///     write_all(file, text, path);
///     sync_and_close(std::move(file), path);     // throws if anything did not reach the disk
using Descriptor = UniqueHandle<DescriptorTraits>;

/// Throws Error "cannot WHAT PATH: REASON" with the system's reason for errno.
[[noreturn]] void fail_on(char const* what, std::filesystem::path const& path,
                          Where where = Where::here());

/// Repeats a system call as long as a signal interrupts it before it has done anything (EINTR),
/// which happens on network file systems. Returns the result of the last call.
template <class Call>
int uninterrupted(Call const& call) {
  int result = call();
  while (result == -1 && errno == EINTR) {
    result = call();
  }
  return result;
}

/// Opens a file with the flags of open(2). A file that it creates is readable and writable by all,
/// less the umask. The descriptor is not inherited by child programs.
/// @throws Error  if the file cannot be opened
Descriptor open_file(std::filesystem::path const& path, int flags);

/// True if the path still leads to the open file or directory. False if that has been moved,
/// removed or replaced.
bool is_in_place(Descriptor const& file, std::filesystem::path const& path);

/// Creates an empty file for writing. An existing file or symbolic link of this name is removed
/// first; links are never followed.
/// @throws Error  if the file cannot be created
Descriptor create_new_file(std::filesystem::path const& path);

/// Writes all bytes at the current position of the file.
/// @param path  for messages
/// @throws Error  if not all bytes can be written
void write_all(Descriptor const& file, std::string_view bytes, std::filesystem::path const& path);

/// Writes `bytes` bytes at an offset of the file. Several threads and ranks may write to different
/// parts of a file at the same time.
/// @param path  for messages
/// @throws Error  if not all bytes can be written
void write_at(Descriptor const& file, std::uint64_t offset, void const* from, std::size_t bytes,
              std::filesystem::path const& path);

/// Reads `bytes` bytes at an offset of the file.
/// @param path  for messages
/// @throws Error  if reading fails or the file ends too early
void read_at(Descriptor const& file, std::uint64_t offset, void* to, std::size_t bytes,
             std::filesystem::path const& path);

/// Asks the system to start writing a part of the file to the disk, which shortens a later sync().
/// Does not wait, and does nothing on systems that lack this call.
void begin_writing_back(Descriptor const& file, std::uint64_t offset, std::size_t bytes);

/// Truncates or extends a file to `bytes` bytes; an extension consists of zero bytes.
/// @throws Error  if that fails
void set_length(Descriptor const& file, std::uint64_t bytes, std::filesystem::path const& path);

/// Reserves `bytes` bytes on the disk without changing the file's length. Returns false on failure,
/// with the reason in errno.
bool reserve(Descriptor const& file, std::uint64_t bytes);

/// Makes the names in a directory durable, if its file system supports that. @throws Error  if the
/// sync fails
void sync_names(Descriptor const& directory, std::filesystem::path const& path);

/// Waits until everything written to the file is on the disk. @throws Error  if the sync fails
void sync(Descriptor const& file, std::filesystem::path const& path);

/// Syncs and closes a file. On some file systems a write fails only when the file is closed.
/// @throws Error  if either fails
void sync_and_close(Descriptor file, std::filesystem::path const& path);

}  // namespace isotherm
