#pragma once

#include <string>

#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Refuses grids whose index products would overflow: transfers multiply the points of an axis by
/// those of the next coarser grid in 64 bits.
/// @throws InputError  if an axis has more than 2^31 points; the message names `method`
void check_extents_of_cycles(Grid const& grid, std::string const& method);

/// Returns the coefficients of multigrid for −∇²u = f (R. P. Fedorenko, 1964; A. Brandt, 1977).
///
/// They are those of a Jacobi sweep: weights w_d = h_d^-2 / (2 Σ h^-2) and source factor 1 / (2 Σ
/// h^-2). The sums extend over the axes with more than one point. A heterogeneous medium has its
/// coefficients in fields instead; its residual factor is the rate of medium_units().
/// @throws InputError  if multigrid cannot solve the problem: the diffusion equation, or an axis of
///                     more than 2^31 points
/// @throws SettingError  as check_coarsest() does
Scheme multigrid_scheme(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
