#pragma once

#include <vector>

#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the relaxation factors ω of successive cycles, to be applied cyclically: u += ω e.
///
/// A cycle multiplies each component of the error by a factor e between nearly 0 and that of the
/// component which it damps worst. With relaxation the factor is 1 − ω (1 − e), which vanishes at e
/// = 1 − 1/ω. The factors ω place these zeros at different points of that range, as the roots of a
/// Chebyshev polynomial would lie. A few cycles then leave less of every component than the worst
/// factor alone would (the semi-iteration of R. Varga, 1957). Unlike conjugate gradients, this
/// needs no inner product and no further field.
std::vector<double> cycle_relaxation_factors(int dimension, MultigridSettings const& settings);

}  // namespace isotherm
