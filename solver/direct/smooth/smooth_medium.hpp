#pragma once

#include <string>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns why a direct solution of a homogeneous medium is no good preconditioner of the problem,
/// as the end of a sentence: "an [[insulated]] region"; an empty string if it is one.
///
/// The conductivity is sampled along some lines of the grid. It must be isotropic, and must vary
/// smoothly: by less than a factor of 1.5 from one point to the next, and less than 1000 in total.
std::string obstacle_to_preconditioner(Problem const& problem);

/// Returns the problem of a homogeneous medium whose operator preconditions that of `problem`. It
/// has the same grid and faces. The coefficients of Robin faces are divided by a mean conductivity
/// of the face.
Problem smooth_reference(Problem const& problem);

}  // namespace isotherm
