#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// One of the grids of a multigrid hierarchy, before it takes memory.
struct LevelPlan {
  Problem problem;          ///< of a correction
  Subdomain subdomain;      ///< this rank's points: all of them where `everywhere`
  bool everywhere = false;  ///< every rank has the whole level, and works on it by itself
  int depth = 1;            ///< of the halo
};

/// The levels of a hierarchy, the finest first.
///
/// A level has the ranks' parts of the grid above it, see part_of_coarser(), or where these would
/// be too thin or too different is shared anew, evenly, until a part becomes too thin for the halo
/// that transfers need, or the level so small that waiting for messages takes longer than work:
/// from there on every rank has all of it, so that the levels below cost no message at all.
/// @param coarsest  of MultigridSettings
std::vector<LevelPlan> plan_levels(Problem const& problem, Subdomain const& finest,
                                   std::optional<int> coarsest = {});

/// The rank's part of the next coarser grid: of graded axes what remains of its part of the finer
/// one, of others an even share, which lies over that but for a few points.
Subdomain part_of_coarser(Subdomain const& fine, Grid const& coarse);

/// The plans with which a level is smoothed, by the number of sweeps that are left: [n − 1] where n
/// are. None takes more steps than are left, or than the halo is deep.
std::vector<SweepPlan> smoothing_plans_of(LevelPlan const& level, Precision precision,
                                          Execution const& execution, int most_sweeps);

}  // namespace isotherm
