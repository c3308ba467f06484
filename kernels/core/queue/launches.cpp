#include "kernels/core/queue/launches.hpp"

#include "kernels/core/cuda/launches.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

std::vector<KernelLaunch> launches_of(Queue& queue, std::function<void()> const& work) {
  return dispatch(
      queue, [] { return std::vector<KernelLaunch>{}; },
      [&](auto) { return cuda::launches_of(queue, work); });
}

}  // namespace isotherm
