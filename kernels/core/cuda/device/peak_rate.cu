#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/device/peak_rate.hpp"

namespace isotherm::cuda {

namespace {

/// Returns the arithmetic units of a multiprocessor; see the table of throughputs in NVIDIA's CUDA
/// C++ Programming Guide.
int units(int capability, bool in_float64) {
  bool const is_for_servers = capability % 10 == 0 && capability <= 100;  // 6.0, 7.0 … 10.0
  if (in_float64) return !is_for_servers ? 2 : capability >= 90 ? 64 : 32;
  return capability == 60 || capability / 10 == 7 || capability == 80 ? 64 : 128;
}

}  // namespace

double peak_memory_rate(int device) {
  double const hertz = 1e3 * device_attribute(device, cudaDevAttrMemoryClockRate);
  double const bytes = device_attribute(device, cudaDevAttrGlobalMemoryBusWidth) / 8.0;
  return 2.0 * hertz * bytes;  // two transfers a cycle
}

double peak_operation_rate(int device, bool in_float64) {
  int const capability = 10 * device_attribute(device, cudaDevAttrComputeCapabilityMajor) +
                         device_attribute(device, cudaDevAttrComputeCapabilityMinor);
  double const hertz = 1e3 * device_attribute(device, cudaDevAttrClockRate);
  return hertz * multiprocessor_count(device) * units(capability, in_float64);
}

}  // namespace isotherm::cuda
