#include <cuda_runtime.h>

#include "kernels/core/cuda/driver_function.hpp"

namespace isotherm::cuda {

void* driver_function(char const* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  // CUDA 12.5 introduced the query that names the version of the function.
#if CUDART_VERSION >= 12050
  cudaError_t const status =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
  cudaError_t const status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    (void)cudaGetLastError();  // clears the error, which the next call would report again
    return nullptr;
  }
  return function;
}

}  // namespace isotherm::cuda
