#pragma once

#include <cmath>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// Returns a * b + c.
///
/// Ordinary builds round once (a fused multiply-add on every backend). Builds with ISOTHERM_EXACT
/// round after each operation, like a plain serial loop. All translation units are compiled without
/// automatic contraction, so this function alone decides. CPU and CUDA therefore agree bit for bit
/// in either kind of build.
/// @tparam Real  float or double
template <class Real>
ISOTHERM_HOST_DEVICE constexpr Real multiply_add(Real a, Real b, Real c) {
#if defined(ISOTHERM_EXACT)
  return a * b + c;
#elif defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
#endif
}

}  // namespace isotherm
