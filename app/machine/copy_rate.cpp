#include "app/machine/copy_rate.hpp"

#include <algorithm>

#include "app/machine/memory_limits.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/queue/copy_rate.hpp"

namespace isotherm::app {

std::size_t bytes_to_copy(Backend backend, std::size_t field_bytes, std::size_t free_host_bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  // The lower bound keeps the copies out of the caches.
  std::size_t const minimum = (backend == Backend::cuda ? 512 : 64) * mebibyte;
  std::size_t const wanted = std::clamp(field_bytes, minimum, 1024 * mebibyte);
  return backend == Backend::cuda ? wanted
                                  : std::min(wanted, std::max(free_host_bytes / 4, mebibyte));
}

double copy_rate(mpi::Communicator const& ranks, Problem const& problem, Solver& solver) {
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  return copy_rate(ranks, solver.queue(), points * value_bytes(problem.precision));
}

double copy_rate(mpi::Communicator const& ranks, Queue& queue, std::size_t field_bytes) {
  std::size_t const bytes = bytes_to_copy(queue.backend(), field_bytes, free_host_bytes(ranks));
  // All ranks copy at the same time, so ranks that share memory or a device also share its
  // bandwidth.
  ranks.barrier();
  return ranks.sum(measure_copy_rate(queue, bytes));
}

}  // namespace isotherm::app
