#pragma once

#include <cstdint>
#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A new directory inside an existing one, for temporary files. The destructor removes it with its
/// contents, also after errors. Existing files are never touched.
///
///     BenchDirectory const directory(ranks, "/scratch");
///     write_something(directory.path() / "plain");
///     // the destructor removes the directory and the file
class BenchDirectory {
 public:
  /// Creates the directory on the root. Collective.
  /// @throws Error  if it cannot be created
  BenchDirectory(mpi::Communicator const& ranks, std::filesystem::path const& parent);
  /// Removes the directory. Not collective, because some ranks may be failing.
  ~BenchDirectory();
  BenchDirectory(BenchDirectory const&) = delete;
  BenchDirectory& operator=(BenchDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
};

/// Checks that a directory has room for a file of `bytes` bytes. Collective.
/// @param option  the option that names the directory, for messages
/// @throws InputError  on every rank, if the directory does not exist, is not writable, or has too
///        little space
void check_room(mpi::Communicator const& ranks, std::string const& option,
                std::filesystem::path const& directory, double bytes);

/// Returns whether the files of a directory are in memory (tmpfs or ramfs) instead of on a disk.
bool is_memory(std::filesystem::path const& directory);

}  // namespace isotherm
