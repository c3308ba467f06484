#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "kernels/core/cuda/check.hpp"

namespace isotherm::cuda {

/// Clusters of so many blocks that the current device runs at a time.
template <class Kernel>
int resident_clusters(Kernel kernel, int threads, std::size_t shared_bytes, int cluster) {
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(cluster));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &size;
  config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  return std::max(1, clusters);
}

/// Blocks of `kernel`, in clusters of so many, that the current device runs at a time; asked for
/// once a device, and then also allows the kernel its shared memory.
template <auto kernel>
int resident_blocks(int threads, std::size_t shared_bytes, int cluster = 1) {
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
    blocks = std::max(1, blocks) * multiprocessors;
    if (cluster > 1) blocks = resident_clusters(kernel, threads, shared_bytes, cluster) * cluster;
    count = blocks;
  }
  return count;
}

}  // namespace isotherm::cuda
