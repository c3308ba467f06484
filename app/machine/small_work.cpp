#include "app/machine/small_work.hpp"

#include <algorithm>

#include "solver/methods.hpp"

namespace isotherm::app {

namespace {

/// Returns the passes over the grid, an upper bound if a tolerance may end the run earlier.
double passes_of(MethodSettings const& method) {
  auto const iterations = static_cast<double>(std::max<std::int64_t>(method.iterations, 1));
  if (has_plans(method_named(method.name))) return iterations;
  if (method.name == "direct") return 10.0;
  if (method.name == "multigrid") return 100.0;
  return 50.0 * iterations;
}

/// Returns true if sweeps may stay on the chip of a GPU, which then launches no passes.
bool may_be_resident(Problem const& problem, MethodSettings const& method, int ranks) {
  return has_plans(method_named(method.name)) && ranks == 1 && problem.grid.dimension == 2;
}

}  // namespace

Work work_of_run(Problem const& problem, MethodSettings const& method, int ranks) {
  Work work;
  work.points = problem.grid.point_count();
  work.passes = passes_of(method);
  if (may_be_resident(problem, method, ranks)) work.launch_s = 1e-6;
  return work;
}

bool cpu_is_faster(Work const& work, double threads) {
  constexpr double gpu_start_s = 0.2;
  constexpr double cpu_pass_s = 5e-6;
  constexpr double points_per_second = 1e8;
  double const cpu_s =
      work.passes * (cpu_pass_s + static_cast<double>(work.points) / (points_per_second * threads));
  return cpu_s < gpu_start_s + work.passes * work.launch_s;
}

}  // namespace isotherm::app
