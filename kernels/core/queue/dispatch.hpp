#pragma once

#include <type_traits>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// std::true_type in builds with the CUDA backend, else std::false_type.
#if defined(ISOTHERM_HAS_CUDA)
using HasCuda = std::true_type;
#else
using HasCuda = std::false_type;
#endif

/// Runs an operation on the given backend: calls `cpu()` or `cuda(...)` and returns its result.
///
/// `cuda` takes one parameter, which it ignores. The parameter makes it a template: it is compiled,
/// and the functions that it calls are linked, only in builds with CUDA.
///
///   dispatch(
///       queue, [&] { cpu::fill(field, box, value); },
///       [&](auto) { cuda::fill(queue, field, box, value); });
///
/// @throws Error  if `backend` is cuda and this build has no CUDA
template <class OnCpu, class OnCuda>
decltype(auto) dispatch(Backend backend, OnCpu const& cpu, OnCuda const& cuda) {
  if constexpr (HasCuda::value) {
    if (backend == Backend::cuda) return cuda(HasCuda{});
  } else {
    require(backend == Backend::cpu,
            "CUDA was asked for, but this build has no CUDA backend (configure it with nvcc "
            "installed)");
  }
  return cpu();
}

/// Runs an operation on the backend of `queue`.
template <class OnCpu, class OnCuda>
decltype(auto) dispatch(Queue const& queue, OnCpu const& cpu, OnCuda const& cuda) {
  return dispatch(queue.backend(), cpu, cuda);
}

}  // namespace isotherm
