#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/machine/device_choice.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/byte_count.hpp"

/// Checks that a command fits into memory before it allocates anything: each rank compares its need
/// with its share of the free memory.
///
///   MemoryNeed const need{device_bytes, dense_bytes<double>(part.extent())};
///   require_memory(ranks, device, {need}, "resample", "use more hosts");

namespace isotherm::app {

/// The bytes that one rank needs. On the CPU backend both kinds are host memory.
struct MemoryNeed {
  std::size_t device = 0;  ///< fields and buffers, in the memory of the backend
  std::size_t host = 0;    ///< dense copies of fields, and buffers for writing them
};

/// The bytes that one rank may use.
struct MemoryLimits {
  std::size_t device = 0;  ///< its share of its GPU's memory; on the CPU backend like `host`
  std::size_t host = 0;    ///< its share of its host's memory
};

/// Returns this rank's share of the memory that is now free on its host, in bytes: the free memory
/// divided by the number of ranks on the host, but at most what the process's own limits leave.
std::size_t free_host_bytes(mpi::Communicator const& ranks);

/// Returns this rank's share of the free memory: on its GPU as choose_device() found it, on its
/// host as it is now.
MemoryLimits memory_limits(mpi::Communicator const& ranks, Device const& device);

/// Returns true if the limits are sufficient for the need. On the CPU backend the sum of both needs
/// must fit into the host's memory.
bool fits(Backend backend, MemoryNeed const& need, MemoryLimits const& limits);

/// Returns a clause such as "needs 3.00 GiB of host memory per rank, but only 2.00 GiB are free".
/// @pre the need does not fit
/// @param minimum  a lower bound of the need in bytes, for a need that is uncountable_bytes
std::string lack_of_memory(Backend backend, MemoryNeed const& need, MemoryLimits const& limits,
                           double minimum = 0.0);

/// Returns true if every rank's need fits. Collective.
bool fits_on_all(mpi::Communicator const& ranks, Device const& device, MemoryNeed const& need);

/// Checks that every rank's needs fit, before anything is allocated. Collective.
/// @param steps    needs of consecutive steps; each step frees its memory before the next one
/// @param command  name of the command, which begins the message
/// @param advice   the remedy, as in "use more hosts"
/// @throws InputError  on every rank, if one of the steps does not fit
void require_memory(mpi::Communicator const& ranks, Device const& device,
                    std::vector<MemoryNeed> const& steps, std::string const& command,
                    std::string const& advice);

/// Returns the bytes of a dense array of values at `points`; uncountable_bytes if they exceed any
/// memory. Such an array has no halo and no padding.
template <class Real>
std::size_t dense_bytes(Extent3 points) {
  if (exceeds_any_memory(LocalBox{{}, points})) return uncountable_bytes;
  return product_of_bytes(static_cast<std::size_t>(LocalBox{{}, points}.point_count()),
                          sizeof(Real));
}

}  // namespace isotherm::app
