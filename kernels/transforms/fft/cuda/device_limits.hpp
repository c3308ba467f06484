#pragma once

#include "kernels/core/cuda/lane.hpp"

namespace isotherm::cuda {

/// Returns an attribute of the queue's device.
inline int device_attribute(Queue const& queue, cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, queue.lane()->device));
  return value;
}

/// Returns the largest shared memory in bytes that a block of the queue's device can have.
inline int max_shared_bytes(Queue const& queue) {
  return device_attribute(queue, cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

}  // namespace isotherm::cuda
