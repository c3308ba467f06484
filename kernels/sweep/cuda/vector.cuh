#pragma once

#include <cuda_pipeline_primitives.h>

#include "kernels/core/cuda/vector.cuh"
#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// Copies one row of a tile asynchronously from global to shared memory, bypassing registers: 34
/// vectors from x = first − width. The lanes of the warp share the work. Vectors that touch no
/// point of the field are skipped, so their slots keep old values.
/// @pre All lanes of the warp call it. `first` is a multiple of the vector's width.
template <class Real>
__device__ void stage_row(FieldView<Real const> const& field, std::int64_t first, std::int64_t j,
                          std::int64_t k, int lane, Real* shared) {
  constexpr int width = Vector<Real>::width;
  if (j < field.box.lower.y || j >= field.box.upper.y || k < field.box.lower.z ||
      k >= field.box.upper.z) {
    return;
  }
  Real const* const row = field.origin + j * field.stride_y + k * field.stride_z;
  auto const stage_vector = [&](int slot) {
    std::int64_t const i = first + (slot - 1) * width;
    if (i + width > field.box.lower.x && i < field.box.upper.x) {
      __pipeline_memcpy_async(shared + slot * width, row + i, sizeof(Vector<Real>));
    }
  };
  // Lanes 0 and 1 also copy the first and the last vector.
  stage_vector(lane + 1);
  if (lane < 2) stage_vector(lane * 33);
}

/// Stores the elements of `values` whose points lower <= i < upper belong to a row. `values` begins
/// at point `i`, which is aligned.
template <class Real>
__device__ void store(Real* row, std::int64_t i, Vector<Real> const& values, std::int64_t lower,
                      std::int64_t upper) {
  constexpr int width = Vector<Real>::width;
  if (i >= lower && i + width <= upper) {
    *reinterpret_cast<Vector<Real>*>(row + i) = values;
    return;
  }
  for (int n = 0; n < width; ++n) {
    if (i + n >= lower && i + n < upper) row[i + n] = values.v[n];
  }
}

}  // namespace isotherm::cuda
