#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm::mpi {

/// What was taken away.
struct AbandonedMemory {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

/// Removes the files by which ranks of one host share memory (Open MPI's, in /dev/shm) and which
/// stay where a run was killed: they take memory until somebody removes them. Only files of this
/// user and this host's name, older than ten minutes, that no process of the user has mapped;
/// none where a process that may be a rank hides what it has mapped. Never throws: a run does not
/// depend on it.
AbandonedMemory remove_abandoned_memory(std::filesystem::path const& directory,
                                        std::filesystem::path const& processes = "/proc") noexcept;

}  // namespace isotherm::mpi
