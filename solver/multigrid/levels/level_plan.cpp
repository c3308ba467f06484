#include "solver/multigrid/levels/level_plan.hpp"

#include <algorithm>

#include "solver/discretise/boundary.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Maximum number of fused smoothing sweeps. A deeper halo would be too costly on small levels.
constexpr int deepest = 4;
/// Maximum number of points beyond a rank's part that a transfer reads (stencils.hpp).
constexpr int transfer_reach = 4;
/// Returns the number of points below which every rank holds a level. Two GPUs would save 9 µs of a
/// cycle's work on 65³ points, and exchange four halos for it, which take 15 µs each.
constexpr std::int64_t few_points(Backend backend) {
  return std::int64_t{1} << (backend == Backend::cpu ? 15 : 20);
}

/// True if more than one rank shares the grid.
bool is_cut(Subdomain const& subdomain) { return subdomain.parts() != Extent3{1, 1, 1}; }

/// Adds the deepest halo that the parts allow, up to `deepest`.
LevelPlan level_of(Problem const& problem, Subdomain const& subdomain, bool replicated) {
  int const depth = std::clamp(deepest_halo(problem, subdomain), 1, deepest);
  return {problem, subdomain, replicated, depth};
}

/// Returns the plan of a level that every rank holds as a whole.
LevelPlan replicated_level(Problem const& problem) {
  return level_of(problem, Subdomain(problem.grid, {1, 1, 1}, 0), true);
}

/// Returns true if no part is too thin and none much larger than an even share. A small imbalance
/// is cheaper than redistributing the points.
bool is_well_shared(Subdomain const& part, int thickness) {
  constexpr double much_larger = 2.0;
  double larger = 1.0;  // ratio of the largest part to an even share
  for (int axis = 0; axis < 3; ++axis) {
    if (part.parts()[axis] == 1) continue;
    if (part.smallest_extent(axis) < thickness) return false;
    larger *= static_cast<double>(part.largest_extent()[axis] * part.parts()[axis]) /
              static_cast<double>(part.grid().points[axis]);
  }
  return larger <= much_larger;
}

/// Returns the plan of a level that is divided among the ranks; none if that is impossible or not
/// worthwhile. All ranks decide alike, because they consider all parts.
/// @param finest  this rank's part of the finest grid
/// @param finer   the next finer level; null for the finest
std::optional<LevelPlan> shared_level(Problem const& problem, Subdomain const& finest,
                                      LevelPlan const* finer, Backend backend) {
  Grid const& grid = problem.grid;
  if (grid.point_count() < few_points(backend)) return std::nullopt;
  // In a heterogeneous medium one axis is coarsened at a time. The intermediate grids have to be
  // thick enough, too.
  int const thickness = is_heterogeneous(problem) ? 2 * transfer_reach : transfer_reach;
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const parts = finest.parts()[axis];
    if (parts > 1 && grid.points[axis] / parts < thickness) return std::nullopt;
  }
  // The fine level's division is preferred to an even one if it is balanced.
  Subdomain part(grid, finest.parts(), finest.rank());
  if (finer) {
    Subdomain const following = part_of_coarser(finer->subdomain, grid);
    if (is_well_shared(following, thickness)) part = following;
  }
  LevelPlan level = level_of(problem, part, false);
  // Transfers read up to transfer_reach points of other parts, so the halo must be as deep.
  if (level.depth < transfer_reach) return std::nullopt;
  return level;
}

/// Returns the fastest kernel variant on a device. Small levels use the plain one, because tiled
/// variants cost more to start. Large levels use the last one listed that fuses at most `max_steps`
/// steps. In a heterogeneous medium the variants of few steps start as quickly as its plain one.
SweepPlan fastest_on_device(std::vector<SweepPlan> const& known, SweepSubject const& subject,
                            int max_steps) {
  constexpr std::int64_t large = std::int64_t{1} << 22;
  SweepPlan fastest = known.front();
  bool const is_small = LocalBox{{}, subject.extent}.point_count() < large;
  if (is_small && !subject.heterogeneous) return fastest;
  for (SweepPlan const& plan : known) {
    if (plan.steps <= max_steps) fastest = plan;
  }
  return fastest;
}

}  // namespace

Subdomain part_of_coarser(Subdomain const& fine, Grid const& coarse) {
  PerAxis<AxisCuts> cuts;
  for (int axis = 0; axis < 3; ++axis) {
    // A part of the coarse axis begins at the first C point of the fine part.
    if (fine.parts()[axis] == 1 || !coarse.is_graded(axis)) continue;
    std::vector<std::int64_t> const remaining = c_points(fine.grid(), coarse, axis);
    for (std::int64_t part = 0; part <= fine.parts()[axis]; ++part) {
      auto const first = std::ranges::lower_bound(remaining, fine.cut(axis, part));
      cuts[axis].push_back(first - remaining.begin());
    }
  }
  return {coarse, fine.parts(), fine.rank(), std::move(cuts)};
}

std::vector<LevelPlan> plan_levels(Problem const& problem, Subdomain const& finest, Backend backend,
                                   std::optional<int> coarsest) {
  std::vector<LevelPlan> levels;
  bool replicated = !is_cut(finest);
  // Once a level is held by every rank, all coarser ones are.
  for (Problem const& correction : correction_problems(problem, coarsest)) {
    std::optional<LevelPlan> shared;
    if (!replicated) {
      shared = shared_level(correction, finest, levels.empty() ? nullptr : &levels.back(), backend);
    }
    replicated = !shared;
    levels.push_back(shared ? *shared : replicated_level(correction));
  }
  return levels;
}

std::vector<SweepPlan> smoothing_plans_of(LevelPlan const& level, Precision precision,
                                          Execution const& execution, int max_sweeps) {
  SweepSubject subject;
  subject.backend = execution.backend;
  subject.device = execution.device;
  subject.dimension = level.problem.grid.dimension;
  subject.precision = precision;
  // All ranks must choose alike, so they choose by the thinnest part.
  subject.extent = {level.subdomain.smallest_extent(0), level.subdomain.smallest_extent(1),
                    level.subdomain.smallest_extent(2)};
  subject.source = true;
  subject.heterogeneous = is_heterogeneous(level.problem);
  auto const plans_of = subject.heterogeneous ? heterogeneous_smoothing_plans : smoothing_plans;
  std::vector<SweepPlan> const known =
      plans_of(subject.backend, subject.dimension, precision, subject.device);
  std::vector<SweepPlan> by_sweeps;
  for (int left = 1; left <= max_sweeps; ++left) {
    int const max_steps = std::min(left, level.depth);
    by_sweeps.push_back(subject.backend == Backend::cpu
                            ? choose_plan({}, subject, max_steps)
                            : fastest_on_device(known, subject, max_steps));
  }
  return by_sweeps;
}

}  // namespace isotherm
