#pragma once

#include "kernels/core/queue/launches.hpp"

namespace isotherm::cuda {

/// Returns the kernels that `work` enqueues on a queue, without running them.
/// @throws Error  if the work cannot be recorded
std::vector<KernelLaunch> launches_of(Queue& queue, std::function<void()> const& work);

}  // namespace isotherm::cuda
