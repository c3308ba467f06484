#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm::cuda {

/// What a Queue on CUDA is: a stream of one device, and all that is kept from one call to the next.
/// Nothing is kept for a device, the process or a thread, so queues do not know of each other.
struct Lane {
  int device = 0;
  cudaStream_t stream = nullptr;
  /// How many blocks of a kernel run at a time, by the kernel (resident_blocks.cuh).
  std::unordered_map<void const*, int> resident_blocks{};
  void* scratch = nullptr;  ///< see scratch_memory()
  std::size_t scratch_bytes = 0;
  std::vector<cudaTextureObject_t> textures{};  ///< which kernels that were enqueued may read
};

/// Makes a device the calling thread's current one: kernels start there, and memory, events and
/// questions that name no device are about it, whatever their stream is. Everything here calls this
/// first and takes nothing for granted; what was current before is not put back, since that would
/// start CUDA on a device that the process may not even use.
inline void make_current(int device) { check(cudaSetDevice(device)); }

/// The same for the queue's device. Returns its stream, so that nothing is enqueued without.
inline cudaStream_t make_current(Queue const& queue) {
  Lane const& lane = *queue.lane();
  make_current(lane.device);
  return lane.stream;
}

/// For destructors, where a failure is as good as seen: the next call reports it.
inline void make_current_quietly(int device) noexcept { (void)cudaSetDevice(device); }

/// Device memory for one call, which the next call on the same queue may have again: the work of a
/// queue is in order. It stays with the queue, so only a call that needs more waits for memory.
void* scratch_memory(Queue const& queue, std::size_t bytes);

}  // namespace isotherm::cuda
