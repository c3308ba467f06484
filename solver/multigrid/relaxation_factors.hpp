#pragma once

#include <vector>

#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the relaxation factors ω of successive cycles, to be applied cyclically: u += ω e.
///
/// A cycle multiplies each component of the error by a factor ρ, from nearly 0 to that of the
/// component which it damps worst. With relaxation the factor is 1 − ω (1 − ρ), which vanishes at
/// ρ = 1 − 1/ω. The factors ω distribute these zeros over the range of ρ, like the roots of a
/// Chebyshev polynomial. After a few cycles every component is smaller than by the worst factor
/// alone (the semi-iteration of R. Varga, 1957). Unlike conjugate gradients, this needs no inner
/// product and no further field.
std::vector<double> cycle_relaxation_factors(int dimension, MultigridSettings const& settings);

}  // namespace isotherm
