#pragma once

#include <type_traits>

#include "kernels/core/error.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

#if defined(ISOTHERM_HAS_CUDA)
using HasCuda = std::true_type;
#else
using HasCuda = std::false_type;
#endif

/// Does one operation on the backend that it is asked for on: calls `cpu()` or `cuda(...)` and
/// returns what that returns.
///
/// The call for CUDA takes a parameter, which it ignores, so that it is only compiled, and what it
/// calls only needed, in a build with CUDA: `[&](auto) { cuda::fill(queue, field, box, value); }`.
/// @throws Error  where this build has no CUDA
template <class OnCpu, class OnCuda>
decltype(auto) dispatch(Backend backend, OnCpu const& cpu, OnCuda const& cuda) {
  if constexpr (HasCuda::value) {
    if (backend == Backend::cuda) return cuda(HasCuda{});
  } else {
    require(backend == Backend::cpu,
            "CUDA was asked for, but this build has no CUDA backend (configure where nvcc is)");
  }
  return cpu();
}

template <class OnCpu, class OnCuda>
decltype(auto) dispatch(Queue const& queue, OnCpu const& cpu, OnCuda const& cuda) {
  return dispatch(queue.backend(), cpu, cuda);
}

}  // namespace isotherm
