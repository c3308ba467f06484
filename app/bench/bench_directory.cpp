#include "app/bench/bench_directory.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/magic.h>
#include <string>
#include <sys/vfs.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "case/basics/text/text.hpp"
#include "decomposition/ranks/together.hpp"
#include "io/files/descriptor.hpp"

namespace isotherm {

BenchDirectory::BenchDirectory(mpi::Communicator const& ranks, std::filesystem::path const& parent)
    : ranks_(ranks) {
  std::string name = (parent / "isotherm-bench-XXXXXX").string();
  // Only the root chooses the name, which mkdtemp() makes unique.
  on_root(ranks, [&] {
    if (::mkdtemp(name.data()) == nullptr) fail_on("create a directory in", parent);
  });
  path_ = ranks.broadcast(name);
}

// If a rank reports an error, its message ends the whole job. The other ranks wait here until the
// root has removed the directory. They poll instead of using MPI, because not all ranks may get
// here.
BenchDirectory::~BenchDirectory() {
  constexpr auto pause = std::chrono::milliseconds(10);
  std::error_code ignored;
  if (ranks_.is_root()) std::filesystem::remove_all(path_, ignored);
  for (int tries = 0; tries < 1000 && std::filesystem::exists(path_, ignored); ++tries) {
    std::this_thread::sleep_for(pause);
  }
}

// The root checks on behalf of all ranks: they share the directory. on_root() throws its exception
// on every rank.
void check_room(mpi::Communicator const& ranks, std::string const& option,
                std::filesystem::path const& directory, double bytes) {
  on_root(ranks, [&] {
    std::error_code failure;
    if (!std::filesystem::exists(directory, failure)) {
      throw InputError(option + ": there is no directory " + directory.string());
    }
    if (!std::filesystem::is_directory(directory, failure)) {
      throw InputError(option + ": " + directory.string() +
                       " is not a directory (needs a directory)");
    }
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
      throw InputError(option + ": cannot write to " + directory.string() + ": " +
                       std::strerror(errno));
    }
    auto const space = std::filesystem::space(directory, failure);
    // If the free space is unknown, the write itself will report an error.
    if (!failure && static_cast<double>(space.available) < bytes) {
      throw InputError(fmt::format(
          "{}: {} has {} free, but the file needs {} (choose a smaller --grid, or another disk)",
          option, directory.string(), format_bytes(static_cast<double>(space.available)),
          format_bytes(bytes)));
    }
  });
}

// tmpfs and ramfs have no disk behind them. Their files compete with the field for memory.
bool is_memory(std::filesystem::path const& directory) {
  struct statfs about {};
  return ::statfs(directory.c_str(), &about) == 0 &&
         (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

}  // namespace isotherm
