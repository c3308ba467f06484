#pragma once

#include "kernels/core/precision.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Returns the bandwidth of a device's memory as its data sheet has it, in bytes per second: twice
/// the memory clock times the width of the bus. Returns 0 if it is not known, as on the CPU.
/// @throws Error  if CUDA fails or the build has none
double peak_memory_rate(Backend backend, int device);

/// Returns how many additions, multiplications or fused operations a device can do in a second: one
/// in each of its arithmetic units a cycle of the maximum clock. Returns 0 if it is not known.
/// @throws Error  if CUDA fails or the build has none
double peak_operation_rate(Backend backend, int device, Precision precision);

}  // namespace isotherm
