#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// A launch of a kernel and what it occupies.
struct KernelLaunch {
  std::string kernel;               ///< name of its function, without template arguments
  std::int64_t blocks = 0;          ///< of threads
  int threads = 0;                  ///< of a block
  int registers = 0;                ///< of a thread
  std::size_t local_bytes = 0;      ///< of a thread in memory: spilled registers and arrays
  std::size_t shared_bytes = 0;     ///< of a block
  int blocks_a_multiprocessor = 0;  ///< resident at a time
  double occupancy = 0.0;           ///< resident threads relative to the maximum
};

/// Returns the kernels that `work` enqueues, in any order, without running them. Returns none on
/// the CPU, where `work` is not called.
///
/// The work is recorded as a graph. It may enqueue kernels, copies and events on this queue and on
/// those that wait for it, but it must not wait for the device.
/// @pre  The same work has run before, so kernels are loaded and memory is allocated.
/// @throws Error  if the work cannot be recorded
std::vector<KernelLaunch> launches_of(Queue& queue, std::function<void()> const& work);

}  // namespace isotherm
