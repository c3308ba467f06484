#pragma once

#include <span>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/problem.hpp"

// Whether a point's value does not change by what flows, and who says so: a Dirichlet face, or a
// patch of one, a fixed region, or that it takes no part.

namespace isotherm {

bool lies_on(Grid const& grid, Face face, Index3 global);
/// The condition that holds at a point of a face.
BoundaryCondition const& condition_at_point(Problem const& problem, Face face, Index3 global);

/// Whether a point lies where none takes part, but for those that something gives a value.
bool is_insulated(Problem const& problem, Index3 global);

/// Who says that a point keeps its value.
namespace keeper {
constexpr int none = -1;         ///< nobody: it is unknown
constexpr int insulation = -2;   ///< it takes no part
constexpr int first_region = 6;  ///< fixed regions, by their numbers; below, faces by their indices
}  // namespace keeper
int keeper_of(Problem const& problem, Index3 global);
inline bool keeps_value(Problem const& problem, Index3 global) {
  return keeper_of(problem, global) != keeper::none;
}
/// Those of points that follow one another along x, from `first` on.
void find_keepers(Problem const& problem, Index3 first, std::span<int> keepers);

/// The value that its keeper gives to a point; null where none does.
ScalarFunction const* kept_value(Problem const& problem, int keeper, Index3 global);

}  // namespace isotherm
