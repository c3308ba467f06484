#include "app/machine/host_memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

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

}  // namespace isotherm::app
