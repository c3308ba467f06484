#pragma once

#include <string>
#include <vector>

#include "kernels/sweep/shaped_plans.hpp"

namespace isotherm::app {

/// Returns the block shapes of the published studies: those with one thread a point in 3D, or those
/// in 2D and with one thread a column.
std::vector<BlockShape> published_shapes(bool in_3d);

/// Returns the plan of a kernel with a block shape: "plain 32x2x4", "march 16x16".
std::string plan_name(std::string const& kernel, BlockShape shape);

/// Checks the shapes of --shapes. @throws InputError  if there are some, but the backend is the CPU
void check_shapes(Backend backend, std::vector<BlockShape> const& shapes);

}  // namespace isotherm::app
