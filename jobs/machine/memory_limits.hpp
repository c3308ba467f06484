#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/machine/device_choice.hpp"
#include "kernels/core/byte_count.hpp"

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

/// Makes sure of it before anything is allocated. Collective.
/// @param steps   what is needed at a time, one after the other
/// @param advice  what would help: "use more hosts"
/// @throws InputError  on every rank, where one of the steps does not fit
void require_memory(mpi::Communicator const& ranks, Device const& device,
                    std::vector<MemoryNeed> const& steps, std::string const& command,
                    std::string const& advice);

/// Bytes of so many values in host memory.
template <class Real>
std::size_t dense_bytes(Extent3 points) {
  if (exceeds_any_memory(LocalBox{{}, points})) return uncountable_bytes;
  return bytes_in_all(static_cast<std::size_t>(LocalBox{{}, points}.point_count()), sizeof(Real));
}

}  // namespace isotherm
