#pragma once

#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/problem.hpp"

// How the open share of a section across a control volume changes along each axis.

namespace isotherm {

/// The open shares of a control volume along an axis: of its lower and of its upper face, and of a
/// section between them.
struct SharesAlongAxis {
  double below = 0.0;
  double above = 0.0;
  double between = 0.0;
};

/// Returns the open shares of a control volume along each axis; zeros along an axis of one point.
PerAxis<SharesAlongAxis> shares_along_axes(Problem const& problem, Index3 global);

}  // namespace isotherm
