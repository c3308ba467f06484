#pragma once

#include <cstddef>

#include "kernels/core/box.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// Bytes of the queue's memory that advance_resident() takes at most for a grid of `n` points,
/// beside the grid's own.
std::size_t resident_footprint(Backend backend, Precision precision, Extent3 n);

}  // namespace isotherm
