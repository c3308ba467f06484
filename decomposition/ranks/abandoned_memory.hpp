#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm::mpi {

/// The files that remove_abandoned_memory() removed, and their size.
struct AbandonedMemory {
  std::int64_t files = 0;
  std::int64_t bytes = 0;  ///< sum of the file sizes
};

/// Removes shared-memory files of Open MPI that killed runs left behind. They occupy main memory
/// until somebody removes them.
///
/// A file is removed if all of these hold: it belongs to this user, bears this host's name, is
/// older than ten minutes, and is mapped by no process of the user. If a process that may be a rank
/// hides its memory maps, no file is removed. The function never throws, because no run depends on
/// it: after an error it returns the files removed up to then.
/// @param directory  of the shared-memory files, usually /dev/shm
/// @param processes  of the process information; tests replace it
AbandonedMemory remove_abandoned_memory(std::filesystem::path const& directory,
                                        std::filesystem::path const& processes = "/proc") noexcept;

}  // namespace isotherm::mpi
