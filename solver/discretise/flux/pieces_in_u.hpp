#pragma once

#include <functional>
#include <vector>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Divides the axis of u into pieces over which Gauss's rule of three points integrates a heat
/// capacity c(u).
///
/// The first pieces are octaves: they end at 0 and at ±2^k. A piece is halved until the rule agrees
/// with the sum over many parts of it to 10⁻⁹. From 10⁻⁶ to 10⁶ there are 1024 parts an octave, so
/// a peak is found if it is wider than 0.03 % of its distance from 0. Where c is not a positive
/// number nothing is divided, nor beyond 10⁶.
///
/// @param c  of u
/// @return   the ends of the pieces, ascending
std::vector<double> pieces_in_u(std::function<double(double u)> const& c);

/// Divides the axis of u for a heat capacity that may also depend on the place: pieces that suffice
/// at the centre of the grid and at two of its corners. Serial.
std::vector<double> pieces_in_u(ScalarFunction const& capacity, Grid const& grid);

/// Returns the values of u at which a positive function jumps or has a kink, ascending: for a jump
/// those just below and above it. They are searched at the ends of the pieces of pieces_in_u(), at
/// the same three places. Serial.
std::vector<double> breaks_in_u(ScalarFunction const& function, Grid const& grid);

/// Returns the values of u at which a function of any sign jumps, ascending. Likewise.
/// @param scale  magnitude of u
std::vector<double> jumps_in_u(ScalarFunction const& function, Grid const& grid, double scale);

}  // namespace isotherm
