#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/pinning.hpp"

namespace isotherm::cuda {

void pin(int device, void* memory, std::size_t bytes) {
  make_current(device);
  check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
}

void unpin(int device, void* memory) noexcept {
  make_current_quietly(device);
  // A failure must not remain as the error of the next kernel.
  if (cudaHostUnregister(memory) != cudaSuccess) (void)cudaGetLastError();
}

}  // namespace isotherm::cuda
