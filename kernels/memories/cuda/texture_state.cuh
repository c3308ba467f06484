#pragma once

#include <cuda_runtime.h>

#include "kernels/memories/texture.hpp"

namespace isotherm::cuda {

/// The array with the values, and the object that describes how kernels read it.
struct TextureState {
  int device = 0;
  cudaArray_t array = nullptr;
  cudaTextureObject_t object = 0;
};

}  // namespace isotherm::cuda
