#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/sweep/cuda/resident/neighbour_barrier.cuh"

namespace isotherm::cuda {

/// The resources that a kernel's blocks need.
struct BlockShape {
  int threads;
  std::size_t shared_bytes;  ///< dynamic shared memory
  int cluster = 1;           ///< blocks per cluster
};

/// Returns true if the kernel's code was compiled for devices with clusters.
///
/// A device with clusters may also run code compiled for an older architecture. In such code the
/// barrier of a cluster is empty, and a block would wait for the other one forever.
inline bool knows_clusters(void const* kernel) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) return attributes.ptxVersion >= 90;
  (void)cudaGetLastError();  // clears the error, which the next call would report again
  return false;
}

/// Returns true if `device` can run a kernel of such blocks.
/// @param static_bytes  static shared memory of a block, in addition to `block`
inline bool can_run(int device, void const* kernel, BlockShape const& block,
                    std::size_t static_bytes) {
  make_current(device);
  auto const shared_bytes = static_cast<std::size_t>(max_shared_bytes(device));
  int const major = device_attribute(device, cudaDevAttrComputeCapabilityMajor);
  if (block.shared_bytes + static_bytes > shared_bytes) return false;
  return block.cluster == 1 || (has_neighbour_barriers && major >= 9 && knows_clusters(kernel));
}

/// Returns the number of clusters that are resident on the current device at a time.
inline int resident_clusters(void const* kernel, BlockShape const& block) {
  // The query needs the configuration of a launch. Its grid is a single cluster.
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {static_cast<unsigned>(block.cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(block.cluster));
  config.blockDim = dim3(static_cast<unsigned>(block.threads));
  config.dynamicSmemBytes = block.shared_bytes;
  config.attrs = &size;
  config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  return std::max(1, clusters);
}

/// Returns the number of blocks that are resident on a device at a time. Also raises the kernel's
/// limit of dynamic shared memory on that device.
/// @throws Error  if the device cannot run the kernel
inline int count_resident_blocks(int device, void const* kernel, BlockShape const& block) {
  require(can_run(device, kernel, block, 0),
          "the device cannot run this sweep plan (sweep_plans() lists those that it can)");
  int blocks = 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(block.shared_bytes)));
  if (block.cluster > 1) return resident_clusters(kernel, block) * block.cluster;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block.threads,
                                                      block.shared_bytes));
  return std::max(1, blocks) * multiprocessor_count(device);
}

/// Returns the number of blocks of `kernel` that are resident on the queue's device at a time. The
/// queue caches the result.
/// @throws Error  if the device cannot run the kernel
template <class... Arguments>
int resident_blocks(Queue const& queue, void (*kernel)(Arguments...), BlockShape const& block) {
  Lane& lane = *queue.lane();
  auto const* const key = reinterpret_cast<void const*>(kernel);
  auto const known = lane.resident_blocks.find(key);
  if (known != lane.resident_blocks.end()) return known->second;
  make_current(lane.device);
  return lane.resident_blocks[key] = count_resident_blocks(lane.device, key, block);
}

}  // namespace isotherm::cuda
