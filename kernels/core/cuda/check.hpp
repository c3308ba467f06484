#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "kernels/core/error.hpp"

namespace isotherm::cuda {

/// Throws Error with CUDA's message and the caller's file and line unless `status` is cudaSuccess.
inline void check(cudaError_t status, Where where = Where::here()) {
  if (status != cudaSuccess) {
    (void)cudaGetLastError();  // clears the error, which the next call would report again
    throw Error(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status), where);
  }
}

/// Throws Error if the last kernel launch failed. Failures during execution appear at a later call.
/// Call it after each <<<…>>> launch, which returns no status.
inline void check_launch(Where where = Where::here()) { check(cudaGetLastError(), where); }

}  // namespace isotherm::cuda
