#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm::mpi {

/// What was removed.
struct AbandonedMemory {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

/// Removes files through which Open MPI's ranks shared memory (in /dev/shm) and which killed runs
/// left behind; they occupy memory until they are removed. It removes only files of this user and
/// this host's name that are older than ten minutes and mapped by no process of the user, and none
/// if a process that may be a rank hides what it has mapped. Never throws: a run does not depend on
/// it.
AbandonedMemory remove_abandoned_memory(std::filesystem::path const& directory,
                                        std::filesystem::path const& processes = "/proc") noexcept;

}  // namespace isotherm::mpi
