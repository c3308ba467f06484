#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "kernels/core/error.hpp"

namespace isotherm::cuda {

/// Throws Error with CUDA's own text and the caller's file and line unless `status` is cudaSuccess.
inline void check(cudaError_t status, Where where = Where::here()) {
  if (status != cudaSuccess) {
    (void)cudaGetLastError();  // the next call shall not report this error again
    throw Error(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status), where);
  }
}

/// Throws Error if the kernel just launched could not be started.
inline void check_launch(Where where = Where::here()) { check(cudaGetLastError(), where); }

}  // namespace isotherm::cuda
