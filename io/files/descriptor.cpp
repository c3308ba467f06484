#include "io/files/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "kernels/core/queue/waiting.hpp"

namespace isotherm {

void DescriptorTraits::close(Handle descriptor) noexcept { (void)::close(descriptor); }

void fail_on(char const* what, std::filesystem::path const& path, Where where) {
  throw Error(
      fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(errno)),
      where);
}

Descriptor open_file(std::filesystem::path const& path, int flags) {
  constexpr mode_t for_all = 0666;
  Descriptor descriptor(
      uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, for_all); }));
  if (descriptor.get() < 0) {
    fail_on("open", path);
  }
  return descriptor;
}

bool is_in_place(Descriptor const& file, std::filesystem::path const& path) {
  struct stat open {
  }, named{};
  // Device and inode number together identify a file.
  return ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

Descriptor create_new_file(std::filesystem::path const& path) {
  // O_EXCL below makes the creation fail if somebody puts another file or link here meanwhile.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    fail_on("replace", path);
  }
  return open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
}

namespace {

/// Evaluates the result of write() or pwrite(): returns false if a signal interrupted the call
/// before it wrote anything. @throws Error  if it failed
bool has_written(ssize_t written, std::filesystem::path const& path) {
  if (written < 0 && errno == EINTR) {
    return false;
  }
  if (written <= 0) {
    errno = written == 0 ? ENOSPC : errno;  // nothing written without an error: no space
    fail_on("write", path);
  }
  return true;
}

}  // namespace

void write_at(Descriptor const& file, std::uint64_t offset, void const* from, std::size_t bytes,
              std::filesystem::path const& path) {
  Waiting const waiting(WaitsFor::disk);
  // The system may write fewer bytes than requested, so the call is repeated for the rest.
  auto const* at = static_cast<char const*>(from);
  while (bytes > 0) {
    ssize_t const written = ::pwrite(file.get(), at, bytes, static_cast<off_t>(offset));
    if (has_written(written, path)) {
      at += written;
      offset += static_cast<std::uint64_t>(written);
      bytes -= static_cast<std::size_t>(written);
    }
  }
}

void read_at(Descriptor const& file, std::uint64_t offset, void* to, std::size_t bytes,
             std::filesystem::path const& path) {
  Waiting const waiting(WaitsFor::disk);
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    ssize_t const got = ::pread(file.get(), at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno != EINTR) {
      fail_on("read", path);
    }
    // pread() returns 0 at the end of the file.
    require(got != 0, fmt::format("cannot read {}: it ends at byte {}, but {} more are needed",
                                  path.string(), offset, bytes));
    if (got > 0) {
      at += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }
}

void write_all(Descriptor const& file, std::string_view bytes, std::filesystem::path const& path) {
  Waiting const waiting(WaitsFor::disk);
  while (!bytes.empty()) {
    ssize_t const written = ::write(file.get(), bytes.data(), bytes.size());
    if (has_written(written, path)) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

void begin_writing_back([[maybe_unused]] Descriptor const& file,
                        [[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::size_t bytes) {
#if defined(SYNC_FILE_RANGE_WRITE)
  (void)::sync_file_range(file.get(), static_cast<off64_t>(offset), static_cast<off64_t>(bytes),
                          SYNC_FILE_RANGE_WRITE);
#endif
}

void set_length(Descriptor const& file, std::uint64_t bytes, std::filesystem::path const& path) {
  if (uninterrupted([&] { return ::ftruncate(file.get(), static_cast<off_t>(bytes)); }) != 0) {
    fail_on("set the length of", path);
  }
}

bool reserve(Descriptor const& file, std::uint64_t bytes) {
  return uninterrupted([&] {
           return ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
         }) == 0;
}

void sync(Descriptor const& file, std::filesystem::path const& path) {
  Waiting const waiting(WaitsFor::disk);
  if (uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
    fail_on("sync", path);
  }
}

void sync_names(Descriptor const& directory, std::filesystem::path const& path) {
  // EINVAL: the file system does not support syncing directories.
  bool const synced = uninterrupted([&] { return ::fsync(directory.get()); }) == 0;
  if (!synced && errno != EINVAL) {
    fail_on("sync", path);
  }
}

void sync_and_close(Descriptor file, std::filesystem::path const& path) {
  sync(file, path);
  if (::close(file.release()) != 0 && errno != EINTR) {
    fail_on("close", path);
  }
}

}  // namespace isotherm
