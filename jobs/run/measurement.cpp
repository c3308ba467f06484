#include "jobs/run/measurement.hpp"

#include <algorithm>

#include "jobs/machine/host_memory.hpp"
#include "kernels/core/copy_rate.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

namespace {

double mean(mpi::Communicator const& ranks, double value) {
  return ranks.sum(value) / ranks.size();
}

/// As many bytes as the rank's field has, but enough to leave the caches of a device behind, and
/// few enough to stay quick and to leave the host memory to spare: what does not fit there ends the
/// run when all its work is done.
std::size_t copied_bytes(mpi::Communicator const& ranks, Problem const& problem, Solver& solver) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  std::size_t const least = (solver.queue().backend() == Backend::cuda ? 512 : 64) * mebibyte;
  std::size_t const wanted =
      std::clamp(points * value_bytes(problem.precision), least, 1024 * mebibyte);
  std::size_t const spare =
      available_host_bytes() / static_cast<std::size_t>(ranks.local_size()) / 4;
  return solver.queue().backend() == Backend::cpu ? std::min(wanted, std::max(spare, mebibyte))
                                                  : wanted;
}

}  // namespace

Performance measure_performance(mpi::Communicator const& ranks, Problem const& problem,
                                Solver& solver, std::int64_t iterations, TimeSplit own) {
  Performance all;
  all.time = {ranks.max(own.wall_s),   ranks.max(own.solve_s),       mean(ranks, own.compute_s),
              mean(ranks, own.halo_s), mean(ranks, own.reduction_s), mean(ranks, own.output_s)};
  all.iterations = iterations;
  double const per_second =
      all.time.solve_s > 0.0 ? static_cast<double>(iterations) / all.time.solve_s : 0.0;
  all.points_per_second = per_second * static_cast<double>(problem.grid.point_count());
  all.bytes_per_second = per_second * bytes_per_iteration(problem);
  ranks.barrier();
  all.copy_bytes_per_second =
      ranks.sum(measure_copy_rate(solver.queue(), copied_bytes(ranks, problem, solver)));
  return all;
}

}  // namespace isotherm
