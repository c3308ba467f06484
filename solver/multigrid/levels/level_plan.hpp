#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Describes one grid of a multigrid hierarchy before it is allocated.
struct LevelPlan {
  Problem problem;          ///< of the correction
  Subdomain subdomain;      ///< this rank's points: all of them if `replicated`
  bool replicated = false;  ///< every rank holds the whole level and works on it redundantly
  int depth = 1;            ///< of the ghost layer, 1 to 4: the maximum of fused sweeps
};

/// Returns the levels of a hierarchy, the finest first. Every rank computes the same levels without
/// communication; nothing is allocated.
///
/// A level is divided like the level above it, see part_of_coarser(). If these parts would be too
/// thin or too unequal, the level is redistributed evenly. Every rank holds the whole level if even
/// parts are too thin for the halo that transfers need. The same applies if the level is so small
/// that messages cost more time than the work, which takes more points on a device. All coarser
/// levels are then redundant as well and need no messages.
/// @param coarsest  as in MultigridSettings
std::vector<LevelPlan> plan_levels(Problem const& problem, Subdomain const& finest, Backend backend,
                                   std::optional<int> coarsest = {});

/// Returns the rank's part of the next coarser grid. On graded axes it consists of the C points of
/// its fine part. On others it is an even share, which differs from the fine part by a few points
/// at most.
Subdomain part_of_coarser(Subdomain const& fine, Grid const& coarse);

/// Returns the kernel variants that smooth a level: element [n − 1] is the variant if n sweeps are
/// left. None fuses more sweeps than are left, or more than the depth of the halo.
/// @param precision   of the corrections
/// @param max_sweeps  number of elements: the larger of the sweeps before and after the coarse grid
std::vector<SweepPlan> smoothing_plans_of(LevelPlan const& level, Precision precision,
                                          Execution const& execution, int max_sweeps);

}  // namespace isotherm
