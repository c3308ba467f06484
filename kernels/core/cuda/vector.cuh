#pragma once

#include <cstdint>
#include <type_traits>

namespace isotherm::cuda {

/// 16 bytes of neighbouring points along x, loaded and stored at once.
template <class Real>
struct alignas(16) Vector {
  static constexpr int width = 16 / sizeof(Real);
  Real v[width];
};

/// The largest multiple of `width` that is <= index; FieldLayout aligns rows at index 0, and has
/// all of a vector in memory that touches a point of the field.
template <int width>
__host__ __device__ constexpr std::int64_t align_down(std::int64_t index) {
  return index & ~static_cast<std::int64_t>(width - 1);
}

/// Writes 16 bytes at once to a place that is a multiple of them. An assignment the compiler takes
/// apart where it has the values one by one.
template <class Real>
__device__ __forceinline__ void store_whole(Real* to, Vector<Real> const& values) {
  if constexpr (std::is_same_v<Real, float>) {
    __stwb(reinterpret_cast<float4*>(to),
           make_float4(values.v[0], values.v[1], values.v[2], values.v[3]));
  } else {
    __stwb(reinterpret_cast<double2*>(to), make_double2(values.v[0], values.v[1]));
  }
}

}  // namespace isotherm::cuda
