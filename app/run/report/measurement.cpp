#include "app/run/report/measurement.hpp"

#include "app/machine/copy_rate.hpp"

namespace isotherm::app {

namespace {

/// Returns the mean of a value over the ranks. Collective.
double mean(mpi::Communicator const& ranks, double value) {
  return ranks.sum(value) / ranks.size();
}

}  // namespace

/// The rate includes all points of the grid in every iteration, fixed points, too.
Performance measure_performance(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                                std::int64_t iterations, TimeSplit own) {
  Performance all;
  // Maxima for what the user waits for, means for its parts.
  all.time = {ranks.max(own.wall_s),   ranks.max(own.solve_s),       mean(ranks, own.compute_s),
              mean(ranks, own.halo_s), mean(ranks, own.reduction_s), mean(ranks, own.output_s)};
  all.iterations = iterations;
  double const per_second =
      all.time.solve_s > 0.0 ? static_cast<double>(iterations) / all.time.solve_s : 0.0;
  all.points_per_second = per_second * static_cast<double>(chosen.problem.grid.point_count());
  all.bytes_per_second = per_second * bytes_per_iteration(chosen.problem, chosen.method);
  constexpr std::int64_t min_points = 1'000'000;
  if (chosen.problem.grid.point_count() >= min_points) {
    all.copy_bytes_per_second = copy_rate(ranks, chosen.problem, solver);
  }
  return all;
}

}  // namespace isotherm::app
