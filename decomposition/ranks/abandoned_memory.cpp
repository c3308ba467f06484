#include "decomposition/ranks/abandoned_memory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "decomposition/ranks/host_name.hpp"

namespace isotherm::mpi {

namespace fs = std::filesystem;

namespace {

// How the names of Open MPI's files begin, before the host name: of versions 4 and 5, and of
// one-sided communication windows.
constexpr std::array kinds{"vader_segment", "sm_segment", "osc_sm", "osc_rdma"};
// Processes of a login session. They hide their memory maps, but cannot be ranks.
constexpr std::array no_ranks{"sshd", "sshd-session", "ssh-agent", "systemd", "(sd-pam)"};
constexpr std::chrono::minutes youngest{10};  // a younger file may belong to a run that is starting

/// True if a file name is that of an Open MPI segment of this host: KIND.HOST.…
bool is_segment(std::string const& name, std::string const& host) {
  return std::ranges::any_of(kinds, [&](std::string_view kind) {
    return name.starts_with(std::string(kind) + "." + host + ".");
  });
}

/// True for a regular file of this user that has not changed for ten minutes. lstat() does not
/// follow symbolic links, so a link to another file is never removed.
bool is_old_and_own(fs::path const& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  auto const changed = std::chrono::system_clock::from_time_t(status.st_mtime);
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         std::chrono::system_clock::now() - changed > youngest;
}

/// Returns the candidates for removal: segments of this host and user that are old enough.
/// Processes may still map them.
std::vector<fs::path> old_segments(fs::path const& directory) {
  std::vector<fs::path> found;
  std::string const host = host_name();
  for (auto const& entry : fs::directory_iterator(directory)) {
    if (is_segment(entry.path().filename().string(), host) && is_old_and_own(entry.path())) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// True for the directories of /proc that are process numbers.
bool is_process(fs::path const& path) {
  std::string const name = path.filename().string();
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

/// True if the real user of a process is this one. The owner of its directory in /proc does not
/// show: if the process hides its maps, the directory belongs to root.
bool is_own_process(fs::path const& process) {
  std::ifstream status(process / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Uid:")) {
      return std::stoul(line.substr(4)) == geteuid();
    }
  }
  return false;
}

/// True for process 1 and for the processes of a login session.
bool cannot_be_rank(fs::path const& process) {
  std::ifstream file(process / "comm");
  std::string name;
  std::getline(file, name);
  return process.filename() == "1" || std::ranges::find(no_ranks, name) != no_ranks.end();
}

/// Returns the memory maps of a process, or nullopt if it hides them. A process that has ended, or
/// that cannot be a rank, counts as one with readable maps.
std::optional<std::string> maps_of(fs::path const& process) {
  std::ifstream file(process / "maps");
  std::string text(std::istreambuf_iterator<char>(file), {});
  bool const ended = !fs::exists(process);
  return file.is_open() || ended || cannot_be_rank(process) ? std::optional(text) : std::nullopt;
}

/// Erases the segments that a process of this user maps. If any process hides its maps, erases all
/// segments from the list, since the process may map each of them.
void keep_unused(std::vector<fs::path>& segments, fs::path const& processes) {
  for (auto const& entry : fs::directory_iterator(processes)) {
    if (segments.empty()) return;
    if (!is_process(entry.path()) || !is_own_process(entry.path())) continue;
    auto const maps = maps_of(entry.path());
    // Compares file names only: in another mount namespace the directory may have another path.
    std::erase_if(segments, [&](fs::path const& segment) {
      return !maps || maps->find(segment.filename().string() + "\n") != std::string::npos;
    });
  }
}

}  // namespace

AbandonedMemory remove_abandoned_memory(fs::path const& directory,
                                        fs::path const& processes) noexcept {
  AbandonedMemory removed;
  try {
    std::vector<fs::path> segments = old_segments(directory);
    keep_unused(segments, processes);
    for (fs::path const& segment : segments) {
      auto const bytes = static_cast<std::int64_t>(fs::file_size(segment));
      if (fs::remove(segment)) {
        ++removed.files;
        removed.bytes += bytes;
      }
    }
  } catch (std::exception const&) {
    return removed;
  }
  return removed;
}

}  // namespace isotherm::mpi
