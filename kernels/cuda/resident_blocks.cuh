#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "kernels/cuda/check.hpp"

namespace isotherm::cuda {

/// Blocks of `kernel` that the current device runs at a time; asked for once a device, and then
/// also allows the kernel its shared memory.
template <auto kernel>
int resident_blocks(int threads, std::size_t shared_bytes) {
  constexpr int most_devices = 64;
  static std::array<std::atomic<int>, most_devices> known{};
  int device = 0;
  check(cudaGetDevice(&device));
  std::atomic<int>& count = known.at(static_cast<std::size_t>(device));
  if (count == 0) {
    int multiprocessors = 0;
    int blocks = 0;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
    count = std::max(1, blocks) * multiprocessors;
  }
  return count;
}

}  // namespace isotherm::cuda
