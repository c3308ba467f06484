#pragma once

#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/problem/problem.hpp"

// The stencils of transfers between the grids of two corrections, of which the second is the
// coarser (solver/multigrid/coarsening.hpp), along one axis. Interpolation is linear; restriction
// is its transpose with each fine point weighted by its volume, so that a point on a Neumann face
// counts half, divided by the volume of the coarse point: what is summed over the grid stays the
// same.

namespace isotherm {

/// For the coarse points lower … upper − 1, of the whole grid.
/// @param fine_origin  global index of the point 0 of the fine field
template <class Real>
std::vector<RestrictionStencil<Real>> restriction_stencils(Problem const& fine,
                                                           Problem const& coarse, int axis,
                                                           std::int64_t lower, std::int64_t upper,
                                                           std::int64_t fine_origin);

/// For the fine points lower … upper − 1, of the whole grid.
/// @param coarse_origin  global index of the point 0 of the coarse field
template <class Real>
std::vector<InterpolationStencil<Real>> interpolation_stencils(Problem const& fine,
                                                               Problem const& coarse, int axis,
                                                               std::int64_t lower,
                                                               std::int64_t upper,
                                                               std::int64_t coarse_origin);

/// The same for values of a field, not of a correction to one: cubic, as what is found on the
/// coarse grid is not to be spoilt, and without points on Dirichlet faces, where a correction is
/// zero whatever the field is; what the points next to them say is followed on.
/// @param halo  of the coarse field: so far the points of a periodic axis are looked at beyond it
template <class Real>
std::vector<RestrictionStencil<Real>> continuation_stencils(Problem const& fine,
                                                            Problem const& coarse, int axis,
                                                            std::int64_t lower, std::int64_t upper,
                                                            std::int64_t coarse_origin,
                                                            std::int64_t halo);

/// The coarse points that lie in a share of the fine grid: at a fine point that it owns, or before
/// the next one. Every coarse point lies in one share; a share may have none.
GlobalBox coarse_points_in(Problem const& fine, Problem const& coarse, GlobalBox share);

}  // namespace isotherm
