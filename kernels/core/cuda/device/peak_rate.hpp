#pragma once

namespace isotherm::cuda {

/// Returns the peak bandwidth of a device's memory in bytes per second; 0 if the driver does not
/// report it.
double peak_memory_rate(int device);

/// Returns the peak rate of arithmetic operations in float32 or float64, per second.
double peak_operation_rate(int device, bool in_float64);

}  // namespace isotherm::cuda
