#pragma once

#include <string>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// What is said where all that flows into points that nothing holds to a value does not cancel, and
/// its mean is taken from the source there.
/// @param inflow  of the source and through the faces, in all
/// @param mean    the source that would bring it
/// @param where   "over the grid"
/// @throws ValueRefusal  unless the problem says that this is to be done
std::string remark_on_inflow(Problem const& problem, double inflow, double mean,
                             std::string const& where);

}  // namespace isotherm
