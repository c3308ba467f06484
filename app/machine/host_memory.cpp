#include "app/machine/host_memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace isotherm::app {

namespace {

/// Returns the number after `key` in a file of "key number" lines.
std::optional<std::size_t> entry(std::filesystem::path const& file, std::string const& key) {
  std::ifstream lines(file);
  for (std::string word; lines >> word;) {
    std::size_t number = 0;
    if (word == key && lines >> number) {
      return number;
    }
  }
  return std::nullopt;
}

/// Returns the number in a file; nothing if the file does not exist or contains "max".
std::optional<std::size_t> number_in(std::filesystem::path const& file) {
  std::ifstream stream(file);
  std::size_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

/// Returns the bytes that the control group at `folder` has left, or nothing if it has no limit.
/// Inactive file caches are regarded as free, since the kernel releases them on demand.
std::optional<std::size_t> left_in_group(std::filesystem::path const& folder,
                                         char const* limit_file, char const* usage_file) {
  auto const limit = number_in(folder / limit_file);
  auto const usage = number_in(folder / usage_file);
  if (!limit || !usage) {
    return std::nullopt;
  }
  std::size_t const cached = entry(folder / "memory.stat", "inactive_file").value_or(0);
  // The numbers are read at different moments, so their differences might be negative. std::min
  // prevents an underflow.
  std::size_t const used = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, used);
}

/// Returns the bytes that remain of one of this process's limits (`ulimit -v`, `ulimit -d`); the
/// maximum of std::size_t if there is no limit.
/// @param field  the index of the memory that the limit covers in /proc/self/statm
std::size_t left_of_limit(int resource, int field) {
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  for (int n = 0; n <= field; ++n) statm >> pages;
  std::size_t const used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

}  // namespace

std::size_t available_host_bytes() {
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  auto const kibibytes = entry("/proc/meminfo", "MemAvailable:");
  // If /proc/meminfo is unreadable, no limit is known.
  std::size_t const machine = kibibytes ? *kibibytes * 1024 : unlimited;
  // Version 2 of control groups, and version 1. Within a container the group is mounted at these
  // paths.
  auto const group = left_in_group("/sys/fs/cgroup", "memory.max", "memory.current");
  auto const older =
      left_in_group("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes");
  return std::min({machine, group.value_or(unlimited), older.value_or(unlimited)});
}

std::size_t available_process_bytes() {
  // /proc/self/statm: the size of the address space comes first, that of data and stack sixth.
  return std::min(left_of_limit(RLIMIT_AS, 0), left_of_limit(RLIMIT_DATA, 5));
}

}  // namespace isotherm::app
