#pragma once

namespace isotherm::cuda {

/// Returns the CUDA driver's function of this name, in its CUDA 12 version, or null if the driver
/// has none. isotherm does not link the driver library, so it starts on hosts without one.
void* driver_function(char const* name);

}  // namespace isotherm::cuda
