#pragma once

#include "kernels/sweep/cuda/ptx.cuh"

namespace isotherm::cuda {

/// Copies one value from global to shared memory asynchronously, or zero if not `wanted`. Before
/// compute capability 8.0 the copy is synchronous.
template <class Real>
__device__ __forceinline__ void copy_value_or_zero(Real* to, Real const* from, bool wanted) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from),
               "n"(sizeof(Real)), "r"(wanted ? static_cast<unsigned>(sizeof(Real)) : 0U)
               : "memory");
#else
  *to = wanted ? *from : Real{0};
#endif
}

}  // namespace isotherm::cuda
