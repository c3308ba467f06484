#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// 16 bytes of points adjacent in x, loaded and stored by one instruction. These are four float32
/// or two float64 values.
template <class Real>
struct alignas(16) Vector {
  static constexpr int width = 16 / sizeof(Real);
  Real v[width];
};

/// Returns the largest multiple of `width` that is <= index. FieldLayout aligns rows at index 0 and
/// pads them, so a vector that touches a point of the field lies entirely in allocated memory.
template <int width>
__host__ __device__ constexpr std::int64_t align_down(std::int64_t index) {
  return index & ~static_cast<std::int64_t>(width - 1);
}

/// Returns true if the vectors at multiples of their width along x are aligned to 16 bytes in every
/// row.
template <class Real>
bool vectors_are_aligned(FieldView<Real> const& field) {
  using Values = Vector<std::remove_const_t<Real>>;
  return reinterpret_cast<std::uintptr_t>(field.origin) % alignof(Values) == 0 &&
         field.stride_y % Values::width == 0 && field.stride_z % Values::width == 0;
}

/// Stores 16 bytes by one instruction. The compiler would split an assignment into scalar stores if
/// it has the values in separate registers.
/// @pre `to` is aligned to 16 bytes.
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
