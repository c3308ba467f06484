#pragma once

namespace isotherm::cuda {

/// The function of the CUDA driver with this name, in the driver's version for CUDA 12; null if the
/// driver has none. isotherm is not linked with the driver, so it also starts on hosts without one.
void* driver_function(char const* name);

}  // namespace isotherm::cuda
