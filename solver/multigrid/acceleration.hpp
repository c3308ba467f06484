#pragma once

#include <vector>

#include "solver/problem/settings.hpp"

namespace isotherm {

/// What the corrections of successive cycles are multiplied by, over and over in this order.
///
/// A cycle leaves of each part of the error a share between nearly nothing and that of the part
/// which it damps worst. With weights ω the shares e become 1 − ω (1 − e), which vanishes at
/// e = 1 − 1/ω: with these in different places between the ends, as the roots of a Chebyshev
/// polynomial would be, a few cycles leave less of each part than the worst of them alone does (the
/// semi-iteration of R. Varga, 1957). Unlike conjugate gradients this asks for no scalar product
/// and no further field.
std::vector<double> correction_weights(int dimension, MultigridSettings const& settings);

}  // namespace isotherm
