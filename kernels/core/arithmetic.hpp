#pragma once

#include <cmath>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// a * b + c. Rounded once (a fused multiply-add on every backend) in ordinary builds; rounded
/// after each operation, as the plainest serial loop would, in builds with ISOTHERM_EXACT. All
/// translation units are compiled without automatic contraction, so this function alone decides,
/// and CPU and CUDA agree bit for bit in either kind of build.
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
