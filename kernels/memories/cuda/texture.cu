#include <memory>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/memories/cuda/texture_state.cuh"
#include "kernels/memories/texture.hpp"

namespace isotherm::cuda {

namespace {

/// Enqueues copying the points of a box to the array.
void copy_to_array(cudaStream_t stream, FieldView<float const> values, LocalBox const& box,
                   cudaArray_t array) {
  Extent3 const n = box.extent();
  float const* const first = &values(box.lower.x, box.lower.y, box.lower.z);
  std::size_t const pitch = static_cast<std::size_t>(values.stride_y) * sizeof(float);
  std::size_t const width = static_cast<std::size_t>(n.x) * sizeof(float);
  auto const height = static_cast<std::size_t>(n.y);
  if (n.z == 1) {
    check(cudaMemcpy2DToArrayAsync(array, 0, 0, first, pitch, width, height,
                                   cudaMemcpyDeviceToDevice, stream));
    return;
  }
  // Planes are copied one by one, since their distance need not be a multiple of that of the rows.
  for (std::int64_t k = 0; k < n.z; ++k) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(first + k * values.stride_z), pitch,
                                      static_cast<std::size_t>(n.x), height);
    copy.dstArray = array;
    copy.dstPos = make_cudaPos(0, 0, static_cast<std::size_t>(k));
    copy.extent = make_cudaExtent(static_cast<std::size_t>(n.x), height, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    check(cudaMemcpy3DAsync(&copy, stream));
  }
}

/// Allocates an array of the extent; 2D if it has one point in z.
cudaArray_t allocate_array(Extent3 n) {
  cudaChannelFormatDesc const format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  auto const x = static_cast<std::size_t>(n.x);
  auto const y = static_cast<std::size_t>(n.y);
  if (n.z == 1) {
    check(cudaMallocArray(&array, &format, x, y));
  } else {
    check(cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, static_cast<std::size_t>(n.z))));
  }
  return array;
}

/// Makes the object that reads an array.
cudaTextureObject_t describe(cudaArray_t array, TextureFilter filter) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc reading{};
  for (auto& mode : reading.addressMode) mode = cudaAddressModeClamp;
  reading.filterMode = filter == TextureFilter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  reading.readMode = cudaReadModeElementType;
  reading.normalizedCoords = 0;
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &reading, nullptr));
  return object;
}

}  // namespace

TextureState* create_texture(Queue& queue, FieldView<float const> values, LocalBox const& box,
                             TextureFilter filter) {
  struct Destroy {
    void operator()(TextureState* state) const noexcept { destroy_texture(state); }
  };
  cudaStream_t const stream = make_current(queue);
  std::unique_ptr<TextureState, Destroy> state(new TextureState{queue.device()});
  state->array = allocate_array(box.extent());
  copy_to_array(stream, values, box, state->array);
  state->object = describe(state->array, filter);
  queue.wait();
  return state.release();
}

void destroy_texture(TextureState* texture) noexcept {
  make_current_quietly(texture->device);
  // Kernels that read the texture must have ended; freeing the array waits for the device.
  if (texture->object != 0) (void)cudaDestroyTextureObject(texture->object);
  if (texture->array != nullptr) (void)cudaFreeArray(texture->array);
  delete texture;
}

std::uint64_t texture_object(TextureState const& texture) { return texture.object; }

}  // namespace isotherm::cuda
