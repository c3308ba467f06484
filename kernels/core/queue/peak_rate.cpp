#include "kernels/core/queue/peak_rate.hpp"

#include "kernels/core/cuda/device/peak_rate.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

double peak_memory_rate(Backend backend, int device) {
  return dispatch(
      backend, [] { return 0.0; }, [&](auto) { return cuda::peak_memory_rate(device); });
}

double peak_operation_rate(Backend backend, int device, Precision precision) {
  return dispatch(
      backend, [] { return 0.0; },
      [&](auto) { return cuda::peak_operation_rate(device, precision == Precision::float64); });
}

}  // namespace isotherm
