#pragma once

#include <cstddef>

#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Measures the copy bandwidth of the queue's memory in bytes per second, reads plus writes.
///
/// Returns the median of seven copies of `bytes` bytes. Allocates two buffers of that size for the
/// measurement, and halves the size until both fit. The result is the roofline of a sweep that
/// reads and writes each point once. The call enqueues eight copies, the first of which only
/// touches the memory, and waits for them.
/// @throws Error  if not even small buffers can be allocated
double measure_copy_rate(Queue& queue, std::size_t bytes);

}  // namespace isotherm
