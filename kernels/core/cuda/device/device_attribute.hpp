#pragma once

#include "kernels/core/cuda/check.hpp"

namespace isotherm::cuda {

/// Returns an attribute of a device.
inline int device_attribute(int device, cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Returns the largest shared memory in bytes that a block can have on a device.
inline int max_shared_bytes(int device) {
  return device_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/// Returns the number of multiprocessors of a device.
inline int multiprocessor_count(int device) {
  return device_attribute(device, cudaDevAttrMultiProcessorCount);
}

}  // namespace isotherm::cuda
