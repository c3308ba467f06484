#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/core/field.hpp"

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

/// Whether multiples of a vector's width along x lie, in every row, at multiples of 16 bytes.
template <class Real>
bool vectors_are_aligned(FieldView<Real> const& field) {
  using Values = Vector<std::remove_const_t<Real>>;
  return reinterpret_cast<std::uintptr_t>(field.origin) % alignof(Values) == 0 &&
         field.stride_y % Values::width == 0 && field.stride_z % Values::width == 0;
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
