#pragma once

#include <cstddef>

#include "kernels/core/box.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Returns an upper bound on the memory in bytes that advance_resident() allocates for a grid of
/// `n` points, in addition to the grid itself: a second field on the CPU, edge points and flags on
/// CUDA.
std::size_t resident_footprint(Backend backend, Precision precision, Extent3 n);

}  // namespace isotherm
