#pragma once

namespace isotherm::cuda {

/// Returns 1/d by two Newton steps, rounded almost correctly, without the branches of a division.
/// @pre d is a normal number whose inverse is one, too
__device__ __forceinline__ double fast_inverse(double d) {
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(d));
  double error = fma(-d, estimate, 1.0);
  error = fma(error, error, error);
  return fma(estimate, error, estimate);
}
__device__ __forceinline__ float fast_inverse(float d) { return __frcp_rn(d); }

}  // namespace isotherm::cuda
