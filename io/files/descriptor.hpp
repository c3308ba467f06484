#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "kernels/core/error.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm {

struct DescriptorTraits {
  using Handle = int;
  static Handle empty() noexcept { return -1; }
  static void close(Handle descriptor) noexcept;
};
/// An open file of the operating system.
using Descriptor = UniqueHandle<DescriptorTraits>;

/// Throws Error "cannot WHAT PATH: " with the system's reason (errno).
[[noreturn]] void fail_on(char const* what, std::filesystem::path const& path,
                          Where where = Where::here());

/// A system call that a signal may end before it has done anything (on file systems that are
/// reached through a network), until it has done its work or failed.
template <class Call>
int uninterrupted(Call const& call) {
  int result = call();
  while (result == -1 && errno == EINTR) {
    result = call();
  }
  return result;
}

/// Opens with open(2)'s `flags`; a file that is created is readable by all, less the umask.
/// @throws Error
Descriptor open_file(std::filesystem::path const& path, int flags);

/// Whether the path still leads to the file, or directory, that is open: it may have been moved,
/// removed or replaced.
bool is_in_place(Descriptor const& file, std::filesystem::path const& path);

/// Creates an empty file to write to, in the place of what has this name: a file that was left
/// there is removed, and so is a link, which is never followed to what it leads to.
/// @throws Error
Descriptor create_new_file(std::filesystem::path const& path);

/// Writes all of `bytes` to the end, or where the file is written to. `path` is for messages.
/// @throws Error
void write_all(Descriptor const& file, std::string_view bytes, std::filesystem::path const& path);

/// Writes all of `bytes` bytes at an offset of the file. `path` is for messages. @throws Error
void write_at(Descriptor const& file, std::uint64_t offset, void const* from, std::size_t bytes,
              std::filesystem::path const& path);

/// Reads `bytes` bytes at an offset of the file. `path` is for messages.
/// @throws Error  also where the file ends before
void read_at(Descriptor const& file, std::uint64_t offset, void* to, std::size_t bytes,
             std::filesystem::path const& path);

/// Has the system write to the disk what was written to a part of the file, so that there is less
/// to wait for in sync(). Does not wait for it. Where the system cannot do so, sync() does all.
void begin_writing_back(Descriptor const& file, std::uint64_t offset, std::size_t bytes);

/// Makes a file so long. @throws Error
void set_length(Descriptor const& file, std::uint64_t bytes, std::filesystem::path const& path);

/// Reserves so many bytes on the disk. False where that failed, with the reason in errno.
bool reserve(Descriptor const& file, std::uint64_t bytes);

/// Makes the names in a directory last, where its file system can do so. @throws Error
void sync_names(Descriptor const& directory, std::filesystem::path const& path);

/// Makes sure that what was written is on the disk. @throws Error
void sync(Descriptor const& file, std::filesystem::path const& path);

/// sync(), and closes the file; on some file systems a write fails as late as that. @throws Error
void sync_and_close(Descriptor file, std::filesystem::path const& path);

}  // namespace isotherm
