#include "io/files/disk_space.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <system_error>
#include <unistd.h>

#include "io/files/descriptor.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Returns a number of bytes for messages: exactly below 100 KiB, else with one decimal.
std::string in_words(std::uint64_t bytes) {
  constexpr double unit = 1024.0;
  auto const number = static_cast<double>(bytes);
  if (number < 100 * unit) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  if (number < 100 * unit * unit) return fmt::format("{:.1f} KiB", number / unit);
  return fmt::format("{:.1f} MiB", number / (unit * unit));
}

/// Throws the Error of reserve_space(). @param reason  what forbids it, and what to do
[[noreturn]] void refuse(std::filesystem::path const& file, std::uint64_t bytes,
                         std::string const& reason) {
  throw Error(fmt::format("no space left for {}, which needs {}: {}", file.string(),
                          in_words(bytes), reason));
}

/// Throws Error if a resource limit (ulimit -f) forbids a file of this size.
void check_size_limit(std::filesystem::path const& file, std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < bytes) {
    refuse(file, bytes,
           fmt::format("that is {} above the limit on file sizes (raise it with ulimit -f)",
                       in_words(bytes - limit.rlim_cur)));
  }
}

/// Bytes of the disk that a file already occupies; less than its length if it has holes.
std::uint64_t allocated_bytes(int descriptor) {
  struct stat status {};
  constexpr std::uint64_t block = 512;  // unit of st_blocks, whatever the file system's blocks
  return fstat(descriptor, &status) == 0 ? block * static_cast<std::uint64_t>(status.st_blocks) : 0;
}

/// Throws Error if the free space together with the file's own blocks is too small. If the free
/// space cannot be determined, the check passes.
void check_free_space(std::filesystem::path const& file, int descriptor, std::uint64_t bytes) {
  std::error_code unknown;
  auto const space = std::filesystem::space(file, unknown);
  // The file's own blocks are not free, but need not be allocated again.
  std::uint64_t const allocated = allocated_bytes(descriptor);
  if (!unknown && space.available + allocated < bytes) {
    refuse(file, bytes,
           fmt::format("the disk lacks {} (free them, or choose another directory)",
                       in_words(bytes - allocated - space.available)));
  }
}

/// True for a file on a RAM disk (tmpfs). Reserving memory there costs as much as writing it, and a
/// single thread would do that while all others wait.
bool lies_in_memory(int descriptor) {
  struct statfs about {};
  return fstatfs(descriptor, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

}  // namespace

void reserve_space(std::filesystem::path const& file, std::uint64_t bytes) {
  check_size_limit(file, bytes);
  Descriptor const descriptor = open_file(file, O_WRONLY);
  check_free_space(file, descriptor.get(), bytes);
  if (lies_in_memory(descriptor.get())) {
    return;
  }
  if (reserve(descriptor, bytes)) {
    return;
  }
  // Other reasons, such as a file system without reservations, are ignored: writing may still
  // succeed.
  int const reason = errno;
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) {
    refuse(file, bytes, std::generic_category().message(reason));
  }
}

}  // namespace isotherm
