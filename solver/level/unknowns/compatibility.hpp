#pragma once

#include <string>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the remark about an incompatible source that is projected: the heat flows into a
/// component without given values do not cancel, so their mean is subtracted from the source there.
///
/// A steady problem without given values has a solution only if they cancel (the compatibility
/// condition of the Neumann problem).
/// @param inflow  total heat flow of the source and through the faces
/// @param mean    the constant source whose integral equals that flow
/// @param where   a phrase such as "over the grid"
/// @throws ValueRefusal  unless Problem::project is set; the message lists the remedies
std::string remark_on_compatibility(Problem const& problem, double inflow, double mean,
                                    std::string const& where);

}  // namespace isotherm
