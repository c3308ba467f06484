#pragma once

#include "kernels/expressions/exponential.hpp"
#include "kernels/expressions/float_parts.hpp"

// The error function and its complement.

namespace isotherm::elementary {

/// Returns erf x for |x| ≤ 1: x + x·P(x²), with P from an interpolation in Chebyshev points, to
/// 2^−68.
ISOTHERM_INLINE double small_error_function(double x) {
  double const series = polynomial(
      x * x, 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4,
      -0x1.b82ce312889bap-6, 0x1.565bcd0e6502dp-8, -0x1.c02db3feeb579p-11, 0x1.f9a326c233146p-14,
      -0x1.f4d2561aeafd4p-17, 0x1.b9e6509b9867dp-20, -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27,
      -0x1.4e607b41a6416p-30, 0x1.7f072188e194dp-34, -0x1.29b9f1b3df556p-38);
  return multiply_add(x, series, x);
}

/// Returns erfc x for x ≥ ½.
///
/// (1 + 2 x)·e^(x²)·erfc x is a smooth function of s = (x − a)/(x + a), here with a = 3.75
/// (Shepherd and Laframboise, Math. Comp. 36, 1981). Its polynomial for x ≤ 28 is from an
/// interpolation in Chebyshev points, to 2^−57. The error of the result is a few ulp.
ISOTHERM_INLINE double large_error_complement(double x) {
  double const within = x > 28.0 ? 28.0 : x;
  double const s = (within - 3.75) / (within + 3.75);
  double const smooth = polynomial(
      s, 0x1.3ccda0b5d5dc2p+0, -0x1.1f367683f89a7p-3, 0x1.d5f294815b0d0p-9, 0x1.510169d0967dfp-4,
      -0x1.bda9309a2b2b4p-4, 0x1.7a14188a9a287p-4, -0x1.e0d0fa6d73e4ap-5, 0x1.d0b0037da1e24p-6,
      -0x1.3f603c5200febp-7, 0x1.cc3a0e438b6b5p-10, 0x1.33fb42f808fbfp-12, -0x1.303fa17b20856p-12,
      0x1.b13f75fcbd76bp-15, 0x1.778b52e5b3d65p-16, -0x1.7fc9ac3ceddaep-17, -0x1.055f130b5bb8fp-20,
      0x1.d28d9ece83670p-20, -0x1.e605e8fface5ep-25, -0x1.02469feb80891p-22, 0x1.7ca4b56803c57p-26,
      0x1.a77fbce501202p-26, -0x1.83752a92529c5p-29);
  Pair const square = exact_product(within, within);
  return exponential_of(-square.high, -square.low, 0) * (smooth / (1.0 + 2.0 * within));
}

ISOTHERM_INLINE double error_function(double x) {
  double const size = magnitude(x);
  double const large = 1.0 - large_error_complement(size);
  return size <= 1.0 ? small_error_function(x) : x != x ? x : with_sign(large, x);
}

ISOTHERM_INLINE double error_complement(double x) {
  double const size = magnitude(x);
  double const small = 1.0 - small_error_function(x);
  double const large = large_error_complement(size);
  return size < 0.5 ? small : x != x ? x : x > 0.0 ? large : 2.0 - large;
}

}  // namespace isotherm::elementary
