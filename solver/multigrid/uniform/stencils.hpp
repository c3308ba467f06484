#pragma once

#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/problem/problem.hpp"

// Transfer stencils along one axis between the grids of two corrections; the second grid is the
// coarser one (solver/multigrid/levels/coarsening.hpp). Interpolation is linear. Restriction is the
// transpose of interpolation, weighted by volume: R = V_coarse⁻¹ Pᵀ V_fine, with half a volume for
// points on a Neumann face. Restriction therefore preserves the volume-weighted sum over the grid.
//
// Stencils of three axes combine as a tensor product. If an axis has m fine and n coarse intervals,
// fine point i has the coarse coordinate i n / m; the numbers need not be multiples.

namespace isotherm {

/// Returns the restriction stencils of the coarse points lower … upper − 1 (global indices).
/// @param fine_origin  global index of the fine field's point 0
template <class Real>
std::vector<RestrictionStencil<Real>> restriction_stencils(Problem const& fine,
                                                           Problem const& coarse, int axis,
                                                           std::int64_t lower, std::int64_t upper,
                                                           std::int64_t fine_origin);

/// Returns the linear interpolation stencils of the fine points lower … upper − 1 (global indices).
/// @param coarse_origin  global index of the coarse field's point 0
template <class Real>
std::vector<ProlongationStencil<Real>> prolongation_stencils(Problem const& fine,
                                                             Problem const& coarse, int axis,
                                                             std::int64_t lower, std::int64_t upper,
                                                             std::int64_t coarse_origin);

/// Returns the cubic interpolation stencils of the fine points lower … upper − 1 for the
/// full-multigrid initial guess.
///
/// The interpolated values are those of a field, not of a correction. Cubic interpolation preserves
/// the accuracy of the coarse solution. Points on Dirichlet faces are left out, because the stored
/// correction is zero there, but the field is not. Values near such a face are extrapolated from
/// interior points.
/// @param coarse_origin  global index of the coarse field's point 0
/// @param halo  depth of the coarse field's ghost layer; stencils on a periodic axis reach that far
///              beyond it
template <class Real>
std::vector<RestrictionStencil<Real>> cubic_interpolation_stencils(
    Problem const& fine, Problem const& coarse, int axis, std::int64_t lower, std::int64_t upper,
    std::int64_t coarse_origin, std::int64_t halo);

/// Returns the coarse points that belong to a share of the fine grid: those that coincide with one
/// of its fine points, or lie between one and the next. Every coarse point belongs to exactly one
/// share; a share may have none.
GlobalBox coarse_points_in(Problem const& fine, Problem const& coarse, GlobalBox share);

}  // namespace isotherm
