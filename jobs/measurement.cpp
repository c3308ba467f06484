#include "jobs/measurement.hpp"

#include <algorithm>

#include "jobs/with_precision.hpp"
#include "kernels/copy_rate.hpp"

namespace isotherm {

namespace {

double mean(mpi::Communicator const& ranks, double value) {
  return ranks.sum(value) / ranks.size();
}

/// As many bytes as the rank's field has, but enough to leave the caches of a device behind, and
/// few enough to stay quick.
std::size_t copied_bytes(Problem const& problem, Solver& solver) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  std::size_t const least = (solver.queue().backend() == Backend::cuda ? 512 : 64) * mebibyte;
  return std::clamp(points * value_bytes(problem.precision), least, 1024 * mebibyte);
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
      ranks.sum(measure_copy_rate(solver.queue(), copied_bytes(problem, solver)));
  return all;
}

}  // namespace isotherm
