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

/// Copies 16 bytes, or sets them to zero.
template <class Real>
__device__ __forceinline__ void copy_vector_or_zero(Real* to, Real const* from, bool wanted) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(wanted ? 16U : 0U)
               : "memory");
#else
  constexpr int width = 16 / static_cast<int>(sizeof(Real));
#pragma unroll
  for (int i = 0; i < width; ++i) to[i] = wanted ? from[i] : Real{0};
#endif
}

}  // namespace isotherm::cuda
