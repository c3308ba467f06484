#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <unordered_map>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm::cuda {

/// The CUDA state of a Queue: a stream of one device and everything that persists between calls.
/// Nothing is stored per device, process or thread, so queues are independent of each other.
/// create_lane() and destroy_lane() create and destroy it; the Queue is its only owner.
struct Lane {
  int device = 0;
  cudaStream_t stream = nullptr;
  /// For each kernel, the number of its blocks that are resident at a time (resident_blocks.cuh).
  std::unordered_map<void const*, int> resident_blocks{};
  void* scratch = nullptr;  ///< see scratch_memory()
  std::size_t scratch_bytes = 0;
};

/// Makes `device` CUDA's current device in the calling thread. Kernels start on the current device,
/// and calls that name no device refer to it, whatever their stream is. Every function here
/// therefore calls this first. The previous device is not restored: that could create a CUDA
/// context on a device that the process must not use.
inline void make_current(int device) { check(cudaSetDevice(device)); }

/// Makes the queue's device current and returns its stream. Getting the stream this way ensures
/// that nothing is enqueued without it.
inline cudaStream_t make_current(Queue const& queue) {
  Lane const& lane = *queue.lane();
  make_current(lane.device);
  return lane.stream;
}

/// Makes `device` current in a destructor, where nothing can be thrown. The next CUDA call reports
/// a failure.
inline void make_current_quietly(int device) noexcept { (void)cudaSetDevice(device); }

/// Returns device memory for the duration of one enqueued operation. Later calls on the same queue
/// reuse it safely, since the queue's work is in order. Only a call that needs more memory than
/// before reallocates, which waits for the device.
void* scratch_memory(Queue const& queue, std::size_t bytes);

}  // namespace isotherm::cuda
