#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/output/field_statistics.hpp"
#include "decomposition/field/point_mask.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm::app {

/// Returns the range of the field at the points of a set; empty if there are none. Collective.
using RangeAt = std::function<ValueRange(PointSet const& points)>;

/// Returns warnings about tables of u that the field leaves, one line each. A table is compared
/// with the field of its own material, face, patch or surface. Collective.
/// @param whole  of the field at all points
std::vector<std::string> table_remarks(Problem const& problem, FieldStatistics const& whole,
                                       RangeAt const& range_at);

}  // namespace isotherm::app
