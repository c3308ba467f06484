#pragma once

#include "kernels/multigrid/packed/packed_smoothing.hpp"

namespace isotherm::cuda {

/// See kernels/multigrid/packed/packed_smoothing.hpp.
bool has_packed_smoothing(Queue const& queue);
/// Enqueues a pass.
void smooth_packed(Queue& queue, PackedPass pass, PackedSmoothing const& by);

}  // namespace isotherm::cuda
