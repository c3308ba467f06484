#pragma once

#include <string>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the remark about a source that is projected: the heat that flows into a component
/// without given values does not cancel, so its mean is subtracted from the source there.
/// @param inflow  total heat flow of the source and through the faces
/// @param mean  the source whose integral equals that flow
/// @param where  a phrase such as "over the grid"
/// @throws ValueRefusal  unless the problem asks for the projection
std::string remark_on_compatibility(Problem const& problem, double inflow, double mean,
                                    std::string const& where);

}  // namespace isotherm
