#include "app/machine/memory_limits.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "app/machine/host_memory.hpp"
#include "case/basics/text/text.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

std::size_t free_host_bytes(mpi::Communicator const& ranks) {
  std::size_t const share = available_host_bytes() / static_cast<std::size_t>(ranks.local_size());
  return std::min(share, available_process_bytes());
}

MemoryLimits memory_limits(mpi::Communicator const& ranks, Device const& device) {
  MemoryLimits limits;
  limits.host = free_host_bytes(ranks);
  // choose_device() has read info.free_bytes.
  limits.device = device.backend == Backend::cuda
                      ? device.info.free_bytes / static_cast<std::size_t>(device.sharers)
                      : limits.host;
  return limits;
}

bool fits(Backend backend, MemoryNeed const& need, MemoryLimits const& limits) {
  // Both needs share the host's memory. Each is compared separately, since their sum might
  // overflow.
  if (backend == Backend::cpu) {
    return need.device <= limits.host && need.host <= limits.host - need.device;
  }
  return need.device <= limits.device && need.host <= limits.host;
}

std::string lack_of_memory(Backend backend, MemoryNeed const& need, MemoryLimits const& limits,
                           double minimum) {
  bool const cpu = backend == Backend::cpu;
  // Reports the kind of memory that is short; on a GPU the device's first.
  bool const on_device = !cpu && need.device > limits.device;
  std::size_t const needed =
      on_device ? need.device : sum_of_bytes(need.host, cpu ? need.device : 0);
  bool const countable = needed != uncountable_bytes;
  return fmt::format(
      "needs {}{} of {} memory per rank, but only {} are free", countable ? "" : "more than ",
      format_bytes(countable ? static_cast<double>(needed) : minimum), on_device ? "GPU" : "host",
      format_bytes(static_cast<double>(on_device ? limits.device : limits.host)));
}

bool fits_on_all(mpi::Communicator const& ranks, Device const& device, MemoryNeed const& need) {
  return !ranks.any(!fits(device.backend, need, memory_limits(ranks, device)));
}

void require_memory(mpi::Communicator const& ranks, Device const& device,
                    std::vector<MemoryNeed> const& steps, std::string const& command,
                    std::string const& advice) {
  MemoryLimits const limits = memory_limits(ranks, device);
  // A failure on one rank throws on all ranks.
  rethrow_on_all_ranks(ranks, [&] {
    for (MemoryNeed const& need : steps) {
      if (fits(device.backend, need, limits)) continue;
      throw InputError(
          fmt::format("{} {}: {}", command, lack_of_memory(device.backend, need, limits), advice));
    }
  });
}

}  // namespace isotherm::app
