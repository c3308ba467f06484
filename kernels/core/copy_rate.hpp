#pragma once

#include <cstddef>

#include "kernels/core/queue.hpp"

namespace isotherm {

/// Measures how fast the queue's device copies its own memory: bytes read plus bytes written per
/// second, the median of several copies of `bytes` bytes. Allocates twice that meanwhile; halves
/// the size until it fits. The bound of a sweep that reads and writes each point once.
double measure_copy_rate(Queue& queue, std::size_t bytes);

}  // namespace isotherm
