#pragma once

#include <cstddef>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/machine/device_choice.hpp"

namespace isotherm {

/// Bytes of one rank. On the CPU both kinds lie in the host's memory.
struct MemoryNeed {
  std::size_t device = 0;  ///< fields and buffers, in the memory that the rank computes in
  std::size_t host = 0;    ///< dense copies of fields, and what writes them
};

/// What one rank may have of what is free.
struct MemoryLimits {
  std::size_t device = 0;  ///< of its GPU's memory, shared with the ranks on it; else as `host`
  std::size_t host = 0;    ///< of its host's memory, shared with the ranks there
};

/// This rank's share of what its host has free now.
std::size_t free_host_bytes(mpi::Communicator const& ranks);

/// This rank's share of what is free: on its GPU when choose_device() looked, on its host now.
MemoryLimits memory_limits(mpi::Communicator const& ranks, Device const& device);

bool fits(Backend backend, MemoryNeed const& need, MemoryLimits const& limits);

/// "needs 3.00 GiB of host memory a rank, and 2.00 GiB are free for it", of something that does not
/// fit. @param least  what it needs at least, where that is more than can be counted
std::string lack_of_memory(Backend backend, MemoryNeed const& need, MemoryLimits const& limits,
                           double least = 0.0);

/// True where what each rank needs fits into what it may have. Collective.
bool fits_on_all(mpi::Communicator const& ranks, Device const& device, MemoryNeed const& need);

}  // namespace isotherm
